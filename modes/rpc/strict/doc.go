// Package strict is a reader of the RPC mode's output that forgives nothing. It
// is test support: what passes it is read by the strictest of the clients, which
// die of a wrong enum value, a null or a missing field.
//
//	line ─▶ decode ─▶ table of shapes (Frame) ─▶ rules across frames (Stream)
//	line of the client ─▶ table of commands (Input)
//
// Frame knows every frame of both dialects and is closed: an unknown type or
// field is an error. Stream adds what one dialect may say, and in which order.
// The tables are written down here a second time on purpose: the server's own
// types are not used, so that a mistake there can't hide itself.
package strict

import "slices"

// Frame checks one line of the server, given without its '\n'.
func Frame(line []byte) error {
	_, err := frame(line)
	return err
}

// Input checks one line of a client: a known command or side frame that has
// the documented fields and no others.
func Input(line []byte) error {
	o, err := decodeObject(line)
	if err != nil {
		return err
	}
	return inputs.check(o)
}

// FrameName is the finest name that the tables have for a line of the server:
// its type, and for a response the command, for an update the event in it, for
// a request to the user the method.
func FrameName(line []byte) (string, error) {
	o, err := frame(line)
	if err != nil {
		return "", err
	}
	switch name := o.text("type"); name {
	case "response":
		return name + " " + o.text("command"), nil
	case "message_update":
		return name + " " + o.object("assistantMessageEvent").text("type"), nil
	case "extension_ui_request":
		return name + " " + o.text("method"), nil
	default:
		return name, nil
	}
}

// FrameNames lists all that FrameName may return, but for the responses to
// what is no command.
func FrameNames() []string {
	var names []string
	for name := range frames {
		switch name {
		case "response":
			for command := range commands {
				names = append(names, name+" "+command)
			}
		case "message_update":
			for kind := range cumulativeUpdates {
				names = append(names, name+" "+kind)
			}
		case "extension_ui_request":
			for method := range dialogs {
				names = append(names, name+" "+method)
			}
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// InputNames lists the types that Input knows.
func InputNames() []string {
	names := make([]string, 0, len(inputs))
	for name := range inputs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
