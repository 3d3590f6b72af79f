/**
 * The URL of a service without trailing slashes, so that a path can follow it.
 *
 * @throws TypeError when it is not an HTTP URL
 */
export function serviceUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`Expected a URL such as http://127.0.0.1:3000, got ${url}`);
  return url.replace(/\/+$/, '');
}
