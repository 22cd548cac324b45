package offline

// perform runs the task of the intent from its beginning. Its text is the
// report, unless do has filled in the reply.
func (t *turn) perform() string {
	in := t.intent
	switch in.kind {
	case greet:
		return t.greeting()
	case thanks:
		return t.say("You're welcome. What next?", "على الرحب والسعة. ما التالي؟", "不客气。接下来做什么？")
	case help:
		return t.helpText()
	case connect:
		return t.connectText()
	case summarize:
		return t.summarize()
	case readFile:
		return t.read(in.path, in.first, in.last)
	case search:
		return t.search(in.what, in.path)
	case where:
		return t.where(in.what)
	case findFiles:
		return t.findFiles(in.what, in.path)
	case list:
		return t.list(in.path)
	case replace:
		return t.replace(in.path, in.what, in.with)
	case replaceIn:
		return t.replaceIn(in.what)
	case create:
		return t.create(in.path, in.with)
	case run:
		return t.run(in.what)
	case runTests, runBuild:
		return t.runKnown(in.kind)
	case plan:
		return t.plan(in.items)
	case askUser:
		return t.ask(in.what)
	}
	if t.asked != "" && t.prompt != "" {
		t.lang = scriptOf(t.asked)
		return t.answered(t.prompt)
	}
	return t.honest()
}
