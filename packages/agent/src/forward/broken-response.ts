/** What came from the engine is not HTTP/1.1 as we accept it; `message` completes "answered with broken HTTP: …". */
export class BrokenResponse extends Error {
  override readonly name = 'BrokenResponse'
}
