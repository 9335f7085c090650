import { type Certificate, TlsError } from './certificate.js';
import type { InFlight } from './in-flight.js';
import type { ListenOptions } from './transport-types.js';
import type { ServerState } from './uws-exchange.js';
import type { UwsApp, UwsLibrary } from './uws-library.js';

/** One application object and the state that its requests share. */
interface Serving {
  readonly app: UwsApp;
  readonly state: ServerState;
}

/**
 * The application objects of one listener. Without TLS there is one. With TLS, the one that listens passes each
 * connection to another one, which has the certificate: the library cannot replace the certificate of an application, and
 * to close a listening socket would reset connections that wait to be accepted.
 *
 * A renewal adds an application with the new certificate and removes the previous one. Connections of that one keep
 * their certificate and close after their next response, or when they are idle.
 */
export class UwsApps {
  readonly listening: UwsApp;
  readonly #serving: Serving[] = [];

  /** @param route adds the handler to an application */
  constructor(
    readonly library: UwsLibrary,
    readonly options: ListenOptions,
    readonly inFlight: InFlight,
    readonly route: (app: UwsApp, state: ServerState) => void,
  ) {
    const { tls } = options;
    if (tls === null) this.listening = this.#add(library.App()).app;
    else {
      this.listening = this.#secured(tls);
      this.#serve(tls);
    }
  }

  /** New connections get this certificate. Throws TlsError, with nothing changed. */
  renew(certificate: Certificate): void {
    const previous = this.#serving.at(-1) as Serving;
    this.#serve(certificate);
    this.listening.removeChildAppDescriptor(previous.app.getDescriptor());
    previous.state.stopping = true;
  }

  /** The next response of each connection is its last. */
  stopping(): void {
    for (const { state } of this.#serving) state.stopping = true;
  }

  /** Closes every connection. */
  close(): void {
    for (const { app } of this.#serving) app.close();
    if (this.options.tls !== null) this.listening.close();
  }

  #serve(certificate: Certificate): void {
    const { app } = this.#add(this.#secured(certificate));
    this.listening.addChildAppDescriptor(app.getDescriptor());
  }

  #add(app: UwsApp): Serving {
    const state = { options: this.options, inFlight: this.inFlight, stopping: false };
    this.route(app, state);
    const serving = { app, state };
    this.#serving.push(serving);
    return serving;
  }

  /** The library reads the files itself, and says no more than that it cannot. */
  #secured({ files }: Certificate): UwsApp {
    try {
      return this.library.SSLApp({ cert_file_name: files.cert, key_file_name: files.key });
    } catch {
      throw TlsError.refused('uWebSockets.js', files);
    }
  }
}
