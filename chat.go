package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui"
)

// historyLength is how many earlier prompts the editor offers.
const historyLength = 1000

// chat runs the chat. Its session is opened behind the first frame.
func (p *program) chat(ctx context.Context, s settings, words, literals []string) error {
	cwd, err := workFolder(s.cwd)
	if err != nil {
		return err
	}
	first, err := source{cwd: cwd}.read(words, literals)
	if err != nil {
		return err
	}
	pick := s.resume && s.resumeQuery == "" && first.text == ""
	if pick {
		s.resume, first.text = false, "/resume"
	}
	p.screen = true
	e, notices := p.newEngine(cwd, s)
	if s, err = p.withAgent(ctx, s); err != nil { // told before there is a screen
		return err
	}
	keys, faults := keysOf(e.Paths())
	notices = append(notices, faults...)
	share := p.share(e, s, cwd)
	defer share.close()
	o := tui.Options{
		Open: func(ctx context.Context) (tui.Session, []string, error) {
			session, more, err := p.openChat(ctx, e, s, cwd, first.blocks)
			return session, append(notices, more...), err
		},
		Commands: p.chatCommands(e, s.sessionDir, share), Prompt: first.text,
		History: func() []string { return history(e.Paths(), cwd) },
		Remember: func(text string) {
			// A history that can't be kept is no reason to disturb the chat.
			_ = e.Paths().Remember(context.WithoutCancel(ctx), config.Past{At: p.now(), Folder: cwd, Text: text})
		},
		Files: func(ctx context.Context) []string { return e.Files(ctx, cwd) },
		Keys:  keys,
		Cwd:   cwd, Branch: func() string { return gitBranch(cwd) },
		Resume: func(v event.View) string { return "hoopoe --resume " + v.SessionID },
		In:     p.stdin, Out: p.stdout.file, Err: p.stderr, Environ: p.environ, Now: p.now,
	}
	more, err := p.dress(ctx, e, s, cwd, &o)
	if err != nil {
		return err
	}
	notices = append(notices, more...)
	p.exit, err = tui.Run(ctx, o)
	if err != nil && p.exit == exitUsage {
		return usagef("%v", err)
	}
	return err
}

func (p *program) openChat(ctx context.Context, e *engine.Engine, s settings, cwd string, blocks []message.Block) (tui.Session, []string, error) {
	o, err := s.openOptions(e, cwd)
	if err != nil {
		return nil, nil, candidates(err, p.now())
	}
	o.Dialogs = true
	session, notices, err := e.Open(ctx, o)
	if err != nil {
		return nil, notices, err
	}
	return &chatSession{Session: session, blocks: blocks}, notices, nil
}

// chatSession is the engine's session as the chat sees it.
type chatSession struct {
	*engine.Session
	mu     sync.Mutex
	blocks []message.Block // go with the first message
}

func (s *chatSession) Commands() slash.Session { return s.Session }

func (s *chatSession) Attach(ctx context.Context) (event.View, tui.Stream, error) {
	shows := []event.QuestionKind{event.AskConfirm, event.AskSelect, event.AskInput, event.AskEditor, event.AskPermission}
	view, sub, err := s.Session.Attach(ctx, engine.Client{Name: "chat", Shows: shows})
	if err != nil {
		return event.View{}, nil, err
	}
	return view, chatStream{sub}, nil
}

func (s *chatSession) Prompt(ctx context.Context, text, delivery string, images []message.Block) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := engine.Input{Text: text, Delivery: engine.Delivery(delivery), Images: slices.Concat(s.blocks, images)}
	_, err := s.Session.Prompt(ctx, in)
	if err == nil {
		s.blocks = nil
	}
	return err
}

func (s *chatSession) Bash(ctx context.Context, command string, hidden bool) error {
	_, err := s.Session.Bash(ctx, engine.BashInput{Command: command, ExcludeFromContext: hidden})
	return err
}

func (s *chatSession) Answer(ctx context.Context, id string, a event.Answer) error {
	_, err := s.Session.Answer(ctx, id, a)
	return err
}

func (s *chatSession) CycleModel(ctx context.Context) error {
	_, _, err := s.Session.CycleModel(ctx)
	return err
}

// chatStream is a subscription without the places of acknowledgements, which
// the chat asks for none of.
type chatStream struct{ *engine.Subscription }

func (s chatStream) Batch(ctx context.Context) ([]event.Envelope, error) {
	items, err := s.Subscription.Batch(ctx)
	if err != nil {
		return nil, err
	}
	batch := make([]event.Envelope, len(items))
	for i, it := range items {
		batch[i] = it.Envelope
	}
	return batch, nil
}

// history lists earlier prompts, oldest first: those of other folders before
// all of this one.
func history(paths config.Paths, cwd string) []string {
	past, err := paths.History(historyLength)
	if err != nil {
		return nil
	}
	var others, own []string
	for _, one := range past {
		if one.Folder == cwd {
			own = append(own, one.Text)
		} else {
			others = append(others, one.Text)
		}
	}
	return append(others, own...)
}

// gitBranch names the branch that is checked out around dir, else the first
// digits of the commit; "" outside a repository.
func gitBranch(dir string) string {
	for {
		head, err := os.ReadFile(filepath.Join(gitFolder(dir), "HEAD"))
		if err == nil {
			text := strings.TrimSpace(string(head))
			if branch, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok {
				return branch
			}
			return fmt.Sprintf("%.8s", text)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// gitFolder is dir's .git, or what that file points to in a worktree.
func gitFolder(dir string) string {
	path := filepath.Join(dir, ".git")
	content, err := os.ReadFile(path)
	if err != nil {
		return path
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "gitdir: ")
	if !ok {
		return path
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return target
}
