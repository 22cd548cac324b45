const log = (level) => (...args) => native.log(level, require("inspect").format(...args));
exports.logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
exports.isEnoent = (err) => err?.code === "ENOENT";
