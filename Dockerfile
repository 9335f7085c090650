# An image of decider for a CPU. For NVIDIA GPUs:
#   docker build --build-arg VARIANT=cuda --build-arg BASE=nvidia/cuda:12.8.1-base-ubuntu24.04 -t decider:cuda .
# Every base needs glibc 2.34 or newer; docs/operations.md has the commands that run it.
ARG NODE=24
ARG BASE=debian:bookworm-slim
ARG VARIANT=cpu

FROM node:${NODE}-bookworm AS build
ARG VARIANT
WORKDIR /opt/decider
COPY . .
# The addon, the compiled sources and the model with random weights. git and the compiler stay in this stage.
RUN npm ci --omit=dev \
  && if [ "$VARIANT" != cpu ]; then npm run "install:$VARIANT"; fi \
  && npm cache clean --force \
  && rm -rf .git .ci test bench bundle examples dist/test dist/bench dist/bundle

FROM ${BASE}
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /opt/decider /opt/decider
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libstdc++6 libgomp1 tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /var/lib/decider --create-home --shell /usr/sbin/nologin decider \
  && mkdir /var/lib/decider/data \
  && chown -R decider: /var/lib/decider \
  && chmod 700 /var/lib/decider/data \
  && printf '#!/bin/sh\nexec node /opt/decider/bin/decider.mjs "$@"\n' >/usr/local/bin/decider \
  && chmod 755 /usr/local/bin/decider
# By number: Kubernetes cannot see that a name is not root.
USER 10001
# It must not have a folder models: then the server uses the embedded model. `models pull` creates the folder.
WORKDIR /var/lib/decider
# Containers forward ports from other addresses than loopback; who may connect is decided by what publishes the port.
ENV DECIDER_HOST=0.0.0.0 DECIDER_HTTP_ALLOW_PLAIN=true DECIDER_DATA=/var/lib/decider/data
VOLUME /var/lib/decider
EXPOSE 8080
STOPSIGNAL SIGTERM
# 503 until the models are loaded: large ones take minutes.
HEALTHCHECK --interval=15s --timeout=5s --start-period=15m --retries=3 \
  CMD ["node", "/opt/decider/deploy/health.mjs"]
ENTRYPOINT ["tini", "--", "decider"]
CMD ["serve"]
