package keymap

import "slices"

// The actions of the table. Those that stand for a slash command have no name
// here: whoever handles keys asks Command.
const (
	// Everywhere.
	Clear        Action = "clear"
	Redraw       Action = "redraw"
	Suspend      Action = "suspend"
	ExpandTools  Action = "expandTools"
	ToggleTodos  Action = "toggleTodos"
	ToggleMouse  Action = "toggleMouse"
	Dump         Action = "dump"
	ScrollTop    Action = "scrollTop"
	ScrollBottom Action = "scrollBottom"

	// In the completions above the prompt.
	Complete Action = "complete"

	// In lists and dialogs, and in the completions.
	SelectUp       Action = "selectUp"
	SelectDown     Action = "selectDown"
	SelectPageUp   Action = "selectPageUp"
	SelectPageDown Action = "selectPageDown"
	SelectFirst    Action = "selectFirst"
	SelectLast     Action = "selectLast"
	SelectConfirm  Action = "selectConfirm"
	SelectCancel   Action = "selectCancel"
	TextUp         Action = "textUp"
	TextDown       Action = "textDown"
	ChoiceUp       Action = "choiceUp"
	ChoiceDown     Action = "choiceDown"

	// In one list each.
	AllFolders    Action = "allFolders"
	RenameSession Action = "renameSession"
	DeleteSession Action = "deleteSession"
	FoldBranch    Action = "foldBranch"
	UnfoldBranch  Action = "unfoldBranch"
	LabelEntry    Action = "labelEntry"
	ShowEntries   Action = "showEntries"
	PreviousValue Action = "previousValue"
	NextValue     Action = "nextValue"
	RemoveRule    Action = "removeRule"

	// In the chat, around the prompt.
	Interrupt       Action = "interrupt"
	Exit            Action = "exit"
	FollowUp        Action = "followUp"
	Dequeue         Action = "dequeue"
	CycleMode       Action = "cycleMode"
	CycleModel      Action = "cycleModelForward"
	CycleThinking   Action = "cycleThinkingLevel"
	HistorySearch   Action = "historySearch"
	ExternalEditor  Action = "externalEditor"
	PasteImage      Action = "pasteImage"
	PageUp          Action = "pageUp"
	PageDown        Action = "pageDown"
	PreviousMessage Action = "previousMessage"
	NextMessage     Action = "nextMessage"
	Search          Action = "search"
	CopyMessage     Action = "copyMessage"
	Hotkeys         Action = "hotkeys"

	// In the text of the prompt.
	Submit             Action = "submit"
	NewLine            Action = "newLine"
	CursorUp           Action = "cursorUp"
	CursorDown         Action = "cursorDown"
	CursorLeft         Action = "cursorLeft"
	CursorRight        Action = "cursorRight"
	CursorWordLeft     Action = "cursorWordLeft"
	CursorWordRight    Action = "cursorWordRight"
	CursorLineStart    Action = "cursorLineStart"
	CursorLineEnd      Action = "cursorLineEnd"
	CursorTop          Action = "cursorTop"
	CursorBottom       Action = "cursorBottom"
	JumpForward        Action = "jumpForward"
	JumpBackward       Action = "jumpBackward"
	DeleteCharBackward Action = "deleteCharBackward"
	DeleteCharForward  Action = "deleteCharForward"
	DeleteWordBackward Action = "deleteWordBackward"
	DeleteWordForward  Action = "deleteWordForward"
	DeleteBlankWord    Action = "deleteBlankWordBackward"
	DeleteToLineStart  Action = "deleteToLineStart"
	DeleteToLineEnd    Action = "deleteToLineEnd"
	Yank               Action = "yank"
	YankPop            Action = "yankPop"
	Undo               Action = "undo"
	Redo               Action = "redo"
)

// Conditions that more than one row has.
const emptyPrompt = "the prompt is empty"

// section gives rows their title in the help.
func section(title string, rows ...Entry) []Entry {
	for i := range rows {
		rows[i].Section = title
	}
	return rows
}

func k(keys ...string) []string { return keys }

// pi lists the names that pi gives an action.
func pi(names ...string) []string { return names }

// table lists all actions with their default keys, in the order of the help.
// Every key with Alt has a twin for the terminals that don't send it.
func table() []Entry {
	return slices.Concat(sending(), conversation(), editing(), lists(), panels())
}

func sending() []Entry {
	return section("Send, stop, leave",
		Entry{Action: Submit, In: Editor, Keys: k("enter"), Text: "send; while the agent works: steer it", Aliases: pi("tui.input.submit")},
		Entry{Action: NewLine, In: Editor, Keys: k("shift+enter", "ctrl+j", "alt+enter", "ctrl+enter"), Text: "new line; \\ Enter does it too", Aliases: pi("tui.input.newLine")},
		Entry{Action: FollowUp, In: Chat, Keys: k("tab"), Text: "send it after this work", When: "the agent works", Aliases: pi("app.message.followUp")},
		Entry{Action: Dequeue, In: Chat, Keys: k("alt+up", "f7"), Text: "take queued messages back", When: "messages wait", Aliases: pi("app.message.dequeue")},
		Entry{Action: Interrupt, In: Chat, Keys: k("esc"), Text: "close, or stop what runs; twice, empty: go back", Aliases: pi("app.interrupt")},
		Entry{Action: Clear, In: Global, Keys: k("ctrl+c"), Text: "clear the prompt; twice: leave", Aliases: pi("app.clear")},
		Entry{Action: Exit, In: Chat, Keys: k("ctrl+d"), Text: "leave", When: emptyPrompt, Aliases: pi("app.exit")},
		Entry{Action: Suspend, In: Global, Keys: k("ctrl+z"), Text: "suspend; fg comes back", Aliases: pi("app.suspend")},
		Entry{Action: Redraw, In: Global, Keys: k("ctrl+l"), Text: "draw the screen anew"},
		Entry{Action: Hotkeys, In: Chat, Keys: k("?"), Text: "show the keys", When: emptyPrompt},
		Entry{Action: "help", In: Chat, Keys: k("f1"), Text: "the same, whatever is in the prompt", Command: "/hotkeys"},
	)
}

func conversation() []Entry {
	return section("Conversation",
		Entry{Action: HistorySearch, In: Chat, Keys: k("ctrl+r"), Text: "search earlier prompts"},
		Entry{Action: ExternalEditor, In: Chat, Keys: k("ctrl+g"), Text: "edit the prompt in EDITOR", Aliases: pi("app.editor.external")},
		Entry{Action: PasteImage, In: Chat, Keys: k("ctrl+v", "alt+v"), Text: "paste an image", Aliases: pi("app.clipboard.pasteImage")},
		Entry{Action: CycleMode, In: Chat, Keys: k("shift+tab"), Text: "next permission mode: ask, edit, full, plan"},
		Entry{Action: CycleModel, In: Chat, Keys: k("ctrl+p"), Text: "next model", Aliases: pi("app.model.cycleForward")},
		Entry{Action: CycleThinking, In: Chat, Keys: k("alt+t", "f6"), Text: "next level of thinking", Aliases: pi("app.thinking.cycle")},
		Entry{Action: "selectModel", In: Chat, Keys: k("alt+p", "f4"), Text: "choose a model", Command: "/model", Aliases: pi("app.model.select")},
		Entry{Action: "newSession", In: Chat, Text: "new session", Command: "/new", Aliases: pi("app.session.new")},
		Entry{Action: "resume", In: Chat, Text: "go on with another session", Command: "/resume", Aliases: pi("app.session.resume")},
		Entry{Action: "tree", In: Chat, Text: "the session's tree", Command: "/tree", Aliases: pi("app.session.tree")},
		Entry{Action: "fork", In: Chat, Text: "branch the session", Command: "/fork", Aliases: pi("app.session.fork")},

		Entry{Action: PageUp, In: Chat, Keys: k("pgup"), Text: "scroll the conversation up", Aliases: pi("tui.editor.pageUp")},
		Entry{Action: PageDown, In: Chat, Keys: k("pgdown"), Text: "scroll it down", Aliases: pi("tui.editor.pageDown")},
		Entry{Action: ScrollTop, In: Global, Keys: k("ctrl+home"), Text: "its start"},
		Entry{Action: ScrollBottom, In: Global, Keys: k("ctrl+end"), Text: "its end, and follow it"},
		Entry{Action: PreviousMessage, In: Chat, Keys: k("shift+up", "ctrl+up"), Text: "the message before"},
		Entry{Action: NextMessage, In: Chat, Keys: k("shift+down", "ctrl+down"), Text: "the message after"},
		Entry{Action: Search, In: Chat, Keys: k("f3", "alt+/"), Text: "search the conversation"},
		Entry{Action: CopyMessage, In: Chat, Keys: k("ctrl+x"), Text: "copy the last answer", Aliases: pi("app.message.copy")},
		Entry{Action: ExpandTools, In: Global, Keys: k("ctrl+o"), Text: "show or fold long outputs and thinking", Aliases: pi("app.tools.expand")},
		Entry{Action: ToggleTodos, In: Global, Keys: k("ctrl+t"), Text: "show or hide the tasks"},
		Entry{Action: ToggleMouse, In: Global, Keys: k("f2", "alt+m"), Text: "leave the mouse to the terminal, to select text"},
		Entry{Action: Dump, In: Global, Keys: k("f8", "alt+s"), Text: "write it into the terminal's scrollback"},
	)
}

func editing() []Entry {
	return section("Text of the prompt",
		Entry{Action: CursorUp, In: Editor, Keys: k("up"), Text: "row up; from the first one: earlier prompts", Aliases: pi("tui.editor.cursorUp")},
		Entry{Action: CursorDown, In: Editor, Keys: k("down", "ctrl+n"), Text: "row down; from the last one: later prompts", Aliases: pi("tui.editor.cursorDown")},
		Entry{Action: CursorLeft, In: Editor, Keys: k("left", "ctrl+b"), Text: "character left", Aliases: pi("tui.editor.cursorLeft")},
		Entry{Action: CursorRight, In: Editor, Keys: k("right", "ctrl+f"), Text: "character right", Aliases: pi("tui.editor.cursorRight")},
		Entry{Action: CursorWordLeft, In: Editor, Keys: k("alt+left", "ctrl+left", "alt+b"), Text: "word left", Aliases: pi("tui.editor.cursorWordLeft")},
		Entry{Action: CursorWordRight, In: Editor, Keys: k("alt+right", "ctrl+right", "alt+f"), Text: "word right", Aliases: pi("tui.editor.cursorWordRight")},
		Entry{Action: CursorLineStart, In: Editor, Keys: k("home", "ctrl+a", "super+left"), Text: "start of the line", Aliases: pi("tui.editor.cursorLineStart")},
		Entry{Action: CursorLineEnd, In: Editor, Keys: k("end", "ctrl+e", "super+right"), Text: "end of the line", Aliases: pi("tui.editor.cursorLineEnd")},
		Entry{Action: CursorTop, In: Editor, Keys: k("alt+<", "ctrl+shift+home", "super+up"), Text: "start of the prompt"},
		Entry{Action: CursorBottom, In: Editor, Keys: k("alt+>", "ctrl+shift+end", "super+down"), Text: "end of the prompt"},
		Entry{Action: JumpForward, In: Editor, Keys: k("ctrl+]"), Text: "to the next place of a character you type", Aliases: pi("tui.editor.jumpForward")},
		Entry{Action: JumpBackward, In: Editor, Keys: k("ctrl+alt+]", "ctrl+\\"), Text: "to the place before", Aliases: pi("tui.editor.jumpBackward")},
		Entry{Action: DeleteCharBackward, In: Editor, Keys: k("backspace", "ctrl+h", "shift+backspace"), Text: "delete the character before", Aliases: pi("tui.editor.deleteCharBackward")},
		Entry{Action: DeleteCharForward, In: Editor, Keys: k("delete", "ctrl+d", "shift+delete"), Text: "delete the character after", Aliases: pi("tui.editor.deleteCharForward")},
		Entry{Action: DeleteBlankWord, In: Editor, Keys: k("ctrl+w"), Text: "cut back to a blank"},
		Entry{Action: DeleteWordBackward, In: Editor, Keys: k("alt+backspace", "ctrl+backspace"), Text: "cut the word before", Aliases: pi("tui.editor.deleteWordBackward")},
		Entry{Action: DeleteWordForward, In: Editor, Keys: k("alt+d", "alt+delete", "ctrl+delete"), Text: "cut the word after", Aliases: pi("tui.editor.deleteWordForward")},
		Entry{Action: DeleteToLineStart, In: Editor, Keys: k("ctrl+u", "super+backspace"), Text: "cut to the start of the line", Aliases: pi("tui.editor.deleteToLineStart")},
		Entry{Action: DeleteToLineEnd, In: Editor, Keys: k("ctrl+k"), Text: "cut to the end of the line", Aliases: pi("tui.editor.deleteToLineEnd")},
		Entry{Action: Yank, In: Editor, Keys: k("ctrl+y"), Text: "insert what was cut last", Aliases: pi("tui.editor.yank")},
		Entry{Action: YankPop, In: Editor, Keys: k("alt+y", "ctrl+q"), Text: "after that: what was cut before", Aliases: pi("tui.editor.yankPop")},
		Entry{Action: Undo, In: Editor, Keys: k("ctrl+_", "ctrl+-", "ctrl+/", "super+z"), Text: "undo", Aliases: pi("tui.editor.undo")},
		Entry{Action: Redo, In: Editor, Keys: k("alt+-", "ctrl+^", "ctrl+shift+z", "shift+super+z"), Text: "redo"},
	)
}

func lists() []Entry {
	return section("Lists and dialogs",
		Entry{Action: Complete, In: Popup, Keys: k("tab"), Text: "take the completion", Aliases: pi("tui.input.tab", "tab")},
		Entry{Action: SelectUp, In: List, Keys: k("up", "ctrl+p", "shift+tab"), Text: "row up", Aliases: pi("tui.select.up")},
		Entry{Action: SelectDown, In: List, Keys: k("down", "ctrl+n", "tab"), Text: "row down", Aliases: pi("tui.select.down")},
		Entry{Action: ChoiceUp, In: Choices, Keys: k("k"), Text: "the same", When: "nothing can be typed there"},
		Entry{Action: ChoiceDown, In: Choices, Keys: k("j"), Text: "the same", When: "nothing can be typed there"},
		Entry{Action: SelectPageUp, In: List, Keys: k("pgup"), Text: "page up", Aliases: pi("tui.select.pageUp")},
		Entry{Action: SelectPageDown, In: List, Keys: k("pgdown"), Text: "page down", Aliases: pi("tui.select.pageDown")},
		Entry{Action: SelectFirst, In: List, Keys: k("home"), Text: "the first row"},
		Entry{Action: SelectLast, In: List, Keys: k("end"), Text: "the last row"},
		Entry{Action: TextUp, In: List, Keys: k("shift+up"), Text: "scroll the text of a dialog up"},
		Entry{Action: TextDown, In: List, Keys: k("shift+down"), Text: "scroll it down"},
		Entry{Action: SelectConfirm, In: List, Keys: k("enter"), Text: "choose", Aliases: pi("tui.select.confirm")},
		Entry{Action: SelectCancel, In: List, Keys: k("esc"), Text: "close", Aliases: pi("tui.select.cancel")},
	)
}

func panels() []Entry {
	return section("Panels",
		Entry{Action: AllFolders, In: Sessions, Keys: k("ctrl+a"), Text: "/resume: sessions of all folders, or of this one"},
		Entry{Action: RenameSession, In: Sessions, Keys: k("ctrl+e"), Text: "/resume: name the session", Aliases: pi("app.session.rename")},
		Entry{Action: DeleteSession, In: Sessions, Keys: k("ctrl+x"), Text: "/resume: delete the session", Aliases: pi("app.session.delete")},
		Entry{Action: FoldBranch, In: Tree, Keys: k("left"), Text: "/tree: fold what follows", Aliases: pi("app.tree.foldOrUp")},
		Entry{Action: UnfoldBranch, In: Tree, Keys: k("right"), Text: "/tree: unfold it", Aliases: pi("app.tree.unfoldOrDown")},
		Entry{Action: LabelEntry, In: Tree, Keys: k("ctrl+b"), Text: "/tree: label the place", Aliases: pi("app.tree.editLabel")},
		Entry{Action: ShowEntries, In: Tree, Keys: k("ctrl+f"), Text: "/tree: show other entries", Aliases: pi("app.tree.filter.cycleForward")},
		Entry{Action: NextValue, In: Values, Keys: k("right"), Text: "/settings: the next value"},
		Entry{Action: PreviousValue, In: Values, Keys: k("left"), Text: "/settings: the value before"},
		Entry{Action: RemoveRule, In: Rules, Keys: k("ctrl+x"), Text: "/permissions: take a rule back"},
	)
}

// elsewhere are actions of pi that have no counterpart here. A file that was
// made for it is not wrong because of them.
var elsewhere = [...]string{
	"copy", "tui.input.copy", "toggleThinking", "app.thinking.toggle",
	"cycleModelBackward", "app.model.cycleBackward",
	"scrollOutputPageUp", "scrollOutputPageDown", "toggleScrollOutputMouse",
	"toggleSessionPath", "app.session.togglePath", "toggleSessionSort", "app.session.toggleSort",
	"toggleSessionNamedFilter", "app.session.toggleNamedFilter",
	"deleteSessionNoninvasive", "app.session.deleteNoninvasive", "app.tree.toggleLabelTimestamp",
	"app.tree.filter.default", "app.tree.filter.noTools", "app.tree.filter.userOnly", "app.tree.filter.labeledOnly",
	"app.tree.filter.all", "app.tree.filter.cycleBackward",
	"app.models.save", "app.models.enableAll", "app.models.clearAll", "app.models.toggleProvider",
	"app.models.reorderUp", "app.models.reorderDown",
}
