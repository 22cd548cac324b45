/* RegExp with what the runtime's own lacks: names of groups, properties of
   characters (\p{L}) and the flag v. Esbuild makes constructor calls of literals
   that need it. It goes into the first line of a script, so: no line comments,
   and a semicolon after every statement. */
var RegExp = (function (Native) {
  var special = /\(\?<[^=!]|\\[pP]\{/;
  var known = new Map();
  var categories = {
    Letter: "L", Cased_Letter: "L", Uppercase_Letter: "Lu", Lowercase_Letter: "Ll", Titlecase_Letter: "Lt", Modifier_Letter: "Lm", Other_Letter: "Lo",
    Alphabetic: "L", Alpha: "L", Uppercase: "Lu", Lowercase: "Ll",
    Mark: "M", Nonspacing_Mark: "Mn", Spacing_Mark: "Mc", Enclosing_Mark: "Me",
    Number: "N", Decimal_Number: "Nd", Letter_Number: "Nl", Other_Number: "No",
    Punctuation: "P", Dash_Punctuation: "Pd", Open_Punctuation: "Ps", Close_Punctuation: "Pe", Connector_Punctuation: "Pc", Other_Punctuation: "Po",
    Symbol: "S", Math_Symbol: "Sm", Currency_Symbol: "Sc", Modifier_Symbol: "Sk", Other_Symbol: "So",
    Separator: "Z", Space_Separator: "Zs", Line_Separator: "Zl", Paragraph_Separator: "Zp",
    Other: "C", Control: "Cc", Format: "Cf",
  };
  function category(name) {
    var plain = name.replace(/^(General_Category|gc|Script|sc|Script_Extensions|scx)=/, "");
    return categories[plain] || plain;
  };
  /* translate numbers the named groups and finds what \k means. */
  function translate(source, unicode) {
    var key = (unicode ? "u" : "-") + source;
    var found = known.get(key);
    if (found) { return found; };
    var token = /\\k<[^>]*>|\\[pP]\{[^}]*\}|\\[\s\S]|\(\?<[^=!>][^>]*>|\(\?|[\s\S]/g;
    var names = [], parts = [], groups = 0, inClass = false, properties = false;
    for (var [t] of source.matchAll(token)) {
      if (unicode && /^\\[pP]\{/.test(t)) {
        properties = true;
        t = t.slice(0, 3) + category(t.slice(3, -1)) + "}";
      } else if (inClass) {
        inClass = t !== "]";
      } else if (t === "[") {
        inClass = true;
      } else if (t === "(") {
        groups++;
      } else if (t.startsWith("(?<")) {
        groups++;
        names.push([t.slice(3, -1), groups]);
        t = "(";
      };
      parts.push(t);
    };
    if (names.length > 0) {
      parts = parts.map(function (t) {
        if (!t.startsWith("\\k<")) { return t; };
        var meant = names.filter(function (n) { return n[0] === t.slice(3, -1); });
        if (meant.length === 0) { throw new SyntaxError("Invalid regular expression: /" + source + "/: no group has the name of " + t); };
        return "(?:" + meant.map(function (n) { return "\\" + n[1]; }).join("") + ")";
      });
    };
    /* A lookahead, which the runtime gives to the engine that knows properties. */
    found = { source: (properties ? "(?=)" : "") + parts.join(""), names: names };
    if (known.size > 500) { known.clear(); };
    known.set(key, found);
    return found;
  };
  function groupsOf(names, match) {
    var groups = Object.create(null);
    for (var [name, number] of names) { groups[name] = groups[name] ?? match[number]; };
    return groups;
  };
  class Extended extends Native {
    #source;
    #names;
    constructor(pattern, flags) {
      var source = pattern instanceof Native ? pattern.source : pattern;
      if (flags.includes("v") && /--|&&|\\q\{|\[[^\]\\]*\[/.test(source)) { throw new SyntaxError("Invalid regular expression: /" + source + "/: operations on sets aren't supported; write one class"); };
      var t = translate(source, /[uv]/.test(flags));
      super(t.source, flags.replace("v", "u"));
      this.#source = source;
      this.#names = t.names;
    };
    get source() { return this.#source; };
    toString() { return "/" + this.#source + "/" + this.flags; };
    exec(text) {
      var match = super.exec(text);
      if (match && this.#names.length > 0) { match.groups = groupsOf(this.#names, match); };
      return match;
    };
    [Symbol.replace](text, by) {
      var names = this.#names, next = by;
      if (names.length > 0 && typeof by === "function") {
        next = function (...found) { return by(...found, groupsOf(names, found)); };
      } else if (names.length > 0) {
        next = String(by).replace(/\$(\$|<([^>]*)>)/g, function (all, what, name) {
          if (what === "$") { return all; };
          return names.filter(function (n) { return n[0] === name; }).map(function (n) { return "$" + String(n[1]).padStart(2, "0"); }).join("");
        });
      };
      return super[Symbol.replace](text, next);
    };
  };
  function RegExp(pattern, flags) {
    var isNative = pattern instanceof Native;
    if (isNative && flags === undefined && new.target === undefined) { return pattern; };
    var source = isNative ? pattern.source : pattern === undefined ? "" : String(pattern);
    var all = flags !== undefined ? String(flags) : isNative ? pattern.flags : "";
    if (special.test(source) || all.includes("v")) { return new Extended(source, all); };
    return Reflect.construct(Native, [source, all], new.target === undefined || new.target === RegExp ? Native : new.target);
  };
  RegExp.prototype = Native.prototype;
  Object.setPrototypeOf(RegExp, Native);
  return RegExp;
})(globalThis.RegExp);
