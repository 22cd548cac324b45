package offline

// quoted is text in quotes; folding has made all kinds of quotes one of these.
const quoted = "\"[^\"]*\"|'[^']*'|`[^`]*`"

// anyPath is a path: quoted, dots, or a word that doesn't end in punctuation.
const anyPath = "(?P<path>" + quoted + "|\\.\\.?|[^\\s\"'`]*[^\\s\"'`,;:?!.])"

// phrase is text on one line, as short as the rest of the wording allows.
const phrase = quoted + `|[^\n]+?`

// commandText is a command: quoted, or the rest of the only line.
const commandText = quoted + `|[^\n]+?`

// englishRules are tried from top to bottom: the special before the general.
func englishRules() (map[string]string, []wording) {
	macros := map[string]string{
		"p":    `(?:(?:hey|hi|hello|ok|okay|please|pls|can you|could you|would you|will you|kindly|now|then|just|go ahead and|i want you to|i(?:'d| would) like you to|i need you to|let's)[,\s]+)*`,
		"end":  `(?:[,\s]+(?:please|pls|thanks|thank you|for me|to me|now))*[\s.!?]*$`,
		"path": anyPath,
		"what": "(?P<what>" + phrase + ")",
		"cmd":  "(?P<what>" + commandText + ")",
		"with": "(?P<with>" + phrase + ")",
		"name": "(?P<what>" + quoted + `|[\pL_$][\pL\pN_$.:]*(?:\(\))?)`,
		"decl": `(?: (?:function|func|method|type|class|struct|constant|const|variable|var|interface|symbol))?`,
		"repo": `(?:repo(?:sitory)?|project|code ?base|code|folder|directory|app(?:lication)?|program|package|workspace)`,
		"this": `(?: (?:this|the|my|our|current|whole|entire))*`,
		"show": `(?:let me )?(?:read|show|open|cat|print|display|view|look at|see)(?: me)?(?: out)?(?: the)?(?: contents? of)?(?: the)?(?: file)?`,
		"line": `(?:(?:at|from|on|the) )*lines? (?P<a>\d+)(?: ?(?:-|\.\.|to|until|through|till|and) ?(?:line )?(?P<b>\d+))?`,
		"find": `(?:find|search(?: for)?|grep(?: for)?|look for|look up)(?: me)?(?: (?:all|any|every))?(?: the)?(?: (?:occurrences?|uses|usages|mentions|references|instances) (?:of|to))?(?: (?:word|text|string))?`,
		"dir":  `(?: the)?(?: (?:folder|directory))?`,
	}
	return macros, []wording{
		{greet, `(?:hi|hello|hey|hiya|howdy|yo|greetings|how are you|good (?:morning|afternoon|evening))(?: (?:there|hoopoe|all|guide))?{end}`},
		{thanks, `(?:thanks|thank you|thx|ty|great|cool|nice|perfect|well done)(?: (?:a lot|so much|very much|hoopoe))?{end}`},
		{help, `(?:help(?: me)?|what can (?:you|hoopoe|i) do(?: here)?|what do you do|how (?:do|does|can) (?:you|i|this|it|hoopoe) (?:work|start|use (?:this|you|it|hoopoe))|commands|(?:who|what|what model|which model) are you|are you (?:a |an )?(?:real |large )?(?:language model|llm|ai|model|bot|human)|\?){end}`},
		{connect, `(?:(?:how|where) (?:do|can|to) ?(?:i |we )?|i want to )?(?:connect|set ?up|configure|add|use|switch)(?: to)?(?: (?:a|an|the|my|another|real|language|ai))* (?:models?|llm|api key|key|provider|claude|gpt|gemini|ollama|openai|anthropic|openrouter|deepseek){end}`},
		{connect, `(?:log ?in|how (?:do|can) i log ?in){end}`},
		{plan, `(?:(?:make|write|create) (?:a |the )?)?(?:plan|to-?dos?|to-?do list|tasks?|task list)\s*:\s*(?P<items>.+)$`},
		{plan, `(?:make|write|create) (?:a |the )?(?:plan|to-?do list|task list) (?:with|of|for):? (?P<items>.+)$`},
		{askUser, `ask me(?: a question)?(?: about)?\s*:?\s+(?P<what>.+)$`},
		{where, `(?:where(?:'s| is| are| was)|find (?:out )?where)(?: the)?{decl} {name}(?: function| method| type| class)?(?: (?:is|are|gets?))? (?:defined|declared|implemented){end}`},
		{where, `(?:(?:find|show(?: me)?|go ?to|locate|where is)(?: the)? )?(?:definition|declaration|implementation) of(?: the)?{decl} {name}{end}`},
		{search, `where (?:do we|do you|do i|does it|is it that we) (?:use|call|mention) {name}{end}`},
		{search, `where(?:'s| is| are)(?: the)?{decl} {name} (?:used|called|mentioned|referenced){end}`},
		{where, `(?:find|show(?: me)?|locate)(?: the)? (?:func|function|method|type|class|struct|interface) {name}{end}`},
		{where, `where(?:'s| is)(?: the)?{decl} {name}{end}`},
		{findFiles, `(?:find|search for|look for|locate|list|show)(?: me)?(?: all)?(?: the)? files? (?:named|called|matching|like) {what}(?: in{dir} {path})?{end}`},
		{findFiles, `(?:find|search for|look for|locate|list|show)(?: me)?(?: all)?(?: the)? (?P<what>[^\s]*\*[^\s]*)(?: files?)?(?: in{dir} {path})?{end}`},
		{summarize, `(?:summari[sz]e|describe|explain|analy[sz]e|explore|introduce|tell me about)(?: me| to me)?{this} {repo}(?: (?:structure|layout|architecture))?(?:,? (?:briefly|in (?:one|a|two|three|few|\d+) [^\n.]*))?{end}`},
		{summarize, `(?:(?:give|show|write|tell)(?: me)? )?(?:an? |the )?(?:short |brief |quick )?(?:summary|overview|description)(?: of{this} {repo})?{end}`},
		{summarize, `what(?:'s| is| does| are)(?: (?:this|the|my|our))*(?: {repo})?(?: (?:is|about|do|does|for|doing|all))*{end}`},
		{replace, `(?:replace|change|rename|substitute)(?: (?:all|every|each))?(?: (?:occurrences?|instances?) of| of)? {what} (?:with|by|to|for|into) {with} (?:in|inside|within)(?: the)?(?: file)? {path}{end}`},
		{replace, `in(?: the)?(?: file)? {path},? (?:replace|change|rename|substitute)(?: (?:all|every|each))?(?: (?:occurrences?|instances?) of| of)? {what} (?:with|by|to|for|into) {with}{end}`},
		{replaceIn, `(?:replace|change|substitute)(?: (?:all|every|each))?(?: (?:occurrences?|instances?) of| of)? {what} (?:with|by|for) {with}(?: (?:everywhere|in all files|in every file|in{this} {repo}))?{end}`},
		{replaceIn, `rename {what} to {with}(?: (?:everywhere|in all files|in every file|in{this} {repo}))?{end}`},
		{create, `(?:create|write|make|add)(?: an?| the)?(?: (?:new|empty|text))*(?: file)?(?: (?:called|named))? {path}(?: file)?(?:\s*:| with(?: the)?(?: (?:content|contents|text|line|body))?:?| containing(?: the)?(?: text)?:?| (?:that|which) (?:says|contains|reads):?| saying:?)\s+(?P<with>.+)$`},
		{create, `(?:create|make|add)(?: an?| the)?(?: (?:new|empty|text))*(?: file)?(?: (?:called|named))? {path}{end}`},
		{create, `(?:write|put|save) {with} (?:to|into|in)(?: an?| the)?(?: new)?(?: file)?(?: (?:called|named))? {path}{end}`},
		{runTests, `(?:run|execute|start)(?: all)?(?: (?:the|my|our))?(?: unit)? tests?{end}`},
		{runBuild, `(?:build|compile)(?: (?:it|the|this|my))*(?: {repo})?{end}`},
		{run, `(?:can|could|would|will) you (?:please )?(?:run|execute) {cmd}\?$`},
		{run, `(?:run|execute|exec)(?:(?: the)? (?:shell |terminal )?command)?:? {cmd}(?:[,\s]+(?:please|for me|thanks|thank you))?$`},
		{list, `(?:list|show|ls|give|display)(?: me)?(?: all)?(?: of)?(?: (?:the|my))?(?: (?:files|file|folders|directories|contents?|everything|files and (?:folders|directories)))? (?:in|of|under|inside|from){dir} {path}{dir}{end}`},
		{list, `(?:list|show|display)(?: me)?(?: all)?(?: (?:the|my))? (?:files|folders|directories|contents?|files and (?:folders|directories))(?: here)?(?: in{this} {repo})?{end}`},
		{list, `(?:ls|dir){end}`},
		{list, `(?:ls|dir|list){dir} {path}{end}`},
		{list, `(?:what|which) files are (?:here|there){end}`},
		{list, `(?:(?:show|tell) me )?(?:what(?:'s| is| are)|(?:what|which) files are)(?: the)?(?: files?)?(?: there)? (?:in|inside|under){dir} {path}{dir}{end}`},
		{readFile, `{show} {path},? {line}{end}`},
		{readFile, `{show} {line} (?:of|in|from)(?: the)?(?: file)? {path}{end}`},
		{readFile, `{show} (?P<path>[^\s:]+):(?P<a>\d+)(?:-(?P<b>\d+))?{end}`},
		{readFile, `{show} {path}(?: file)?{end}`},
		{readFile, `(?P<path>[\w./\\-]*\w){end}`},
		{search, `search{this} {repo} for {what}{end}`},
		{search, `search(?: in)?{dir} (?P<path>[^\s]+) for {what}{end}`},
		{search, `(?:which|what) files? (?:contains?|mentions?|uses?|has|have) {what}{end}`},
		{search, `{find} {what} in{this} {repo}{end}`},
		{search, `{find} {what} (?:in|inside|under|within)(?: the)?(?: (?:file|folder|directory))? {path}{end}`},
		{search, `{find} {what}{end}`},
		{search, `(?:show|list)(?: me)?(?: (?:all|any|the))* (?P<what>[A-Z]{2,}s?)(?: in{this} {repo})?{end}`},
	}
}
