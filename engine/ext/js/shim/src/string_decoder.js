exports.StringDecoder = class StringDecoder {
  #decoder;
  constructor(encoding = "utf8") {
    this.encoding = encoding;
    this.#decoder = new TextDecoder(encoding === "utf8" ? "utf-8" : encoding, { ignoreBOM: true });
  }
  write(chunk) { return typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true }); }
  end(chunk) { return (chunk ? this.write(chunk) : "") + this.#decoder.decode(); }
};
