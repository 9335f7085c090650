/**
 * Sends a request as `fetch` does, and tells how much of its body has been sent, which `fetch` does not. Rejects with
 * TypeError if there is no response, or with an AbortError.
 *
 * @param onSent called with the part of the body that is sent, 0 to 1
 */
export function sendWithProgress(
  url: string,
  { method = 'GET', headers, body, signal }: RequestInit,
  onSent: (part: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open(method, url);
    new Headers(headers).forEach((value, name) => {
      call.setRequestHeader(name, value);
    });
    call.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total);
    call.onload = () => resolve(new Response(call.responseText, responseOf(call)));
    call.onerror = () => reject(new TypeError('There was no response.'));
    call.onabort = () => reject(new DOMException('The request was stopped.', 'AbortError'));
    signal?.addEventListener('abort', () => call.abort(), { once: true });
    call.send(body as Blob | string | FormData);
  });
}

function responseOf(call: XMLHttpRequest): ResponseInit {
  const headers = new Headers();
  for (const line of call.getAllResponseHeaders().split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return { status: call.status, headers };
}
