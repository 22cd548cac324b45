const { Type } = require("typebox");
exports.Type = Type;
// StringEnum is a choice of texts as all providers take it.
exports.StringEnum = (values, options = {}) => Type.Unsafe({
  type: "string", enum: [...values],
  ...(options.description !== undefined && { description: options.description }),
  ...(options.default !== undefined && { default: options.default }),
});
