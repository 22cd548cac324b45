exports.Type = require("typebox").Type;
