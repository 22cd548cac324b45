package engine

import (
	"context"
	"errors"
	"strings"
)

// Changes is what the working tree has that the last commit hasn't: a diff of
// the files under version control, and the names of the new ones. Both are empty
// when nothing has changed; without git, or outside a repository, it is an
// error.
func (s *Session) Changes(ctx context.Context) (diff string, untracked []string, err error) {
	if _, err := s.env.git(ctx, "rev-parse", "--is-inside-work-tree"); err != nil {
		return "", nil, errors.New("there is nothing to compare with: this folder is in no git repository")
	}
	base := "HEAD"
	if _, err := s.env.git(ctx, "rev-parse", "--verify", "--quiet", base); err != nil {
		base = emptyTree // no commit yet
	}
	if diff, err = s.env.git(ctx, "diff", "--no-color", "--no-ext-diff", base, "--"); err != nil {
		return "", nil, err
	}
	list, err := s.env.git(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return "", nil, err
	}
	for name := range strings.SplitSeq(list, "\x00") {
		if name != "" {
			untracked = append(untracked, name)
		}
	}
	return diff, untracked, nil
}

// emptyTree is git's name of a tree without files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
