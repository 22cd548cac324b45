package strict

import (
	"errors"
	"fmt"
)

// work follows prompts from their acceptance to agent_settled, across the runs
// that retries and compactions make of them.
type work struct {
	owed      int  // accepted prompts that must still settle
	spare     int  // prompts that may settle by themselves, or not
	unsettled bool // a run has started since the last agent_settled

	promised   bool   // agent_end said that it will be tried again
	reminded   bool   // todo_reminder said so
	attempt    int    // of the open series of retries; 0: none
	compacting string // what the open compaction's end must repeat; "": none
	unasked    bool   // the open compaction is an automatic one
}

// accepted notes a prompt's acknowledgement. What is queued settles with the
// work that it joins.
func (w *work) accepted(disposition string) {
	busy := w.owed > 0 || w.unsettled
	switch {
	case disposition == "queued", disposition == "" && busy:
	case disposition == "handled" && busy:
		w.spare++
	default:
		w.owed++
	}
}

// refused notes that a prompt has failed, whether or not it was acknowledged.
func (w *work) refused() {
	w.spare++
	if w.owed > 0 && !w.unsettled {
		w.owed--
	}
}

// settle ends a prompt.
func (w *work) settle() error {
	switch {
	case w.promised:
		return errors.New("the last agent_end said willRetry, and nothing was tried")
	case w.reminded:
		return errors.New("todo_reminder came, and the model was not reminded")
	case w.attempt > 0:
		return errors.New("auto_retry_end is missing")
	case w.compacting != "" && w.unasked:
		return errors.New("the compaction hasn't ended")
	case w.owed > 0:
		w.owed--
	case w.unsettled:
	case w.spare > 0:
		w.spare--
	default:
		return errors.New("no accepted prompt is open")
	}
	w.unsettled = false
	return nil
}

// resumed is called when a run starts.
func (w *work) resumed() error {
	w.promised, w.reminded = false, false
	if w.compacting != "" {
		return errors.New("the compaction hasn't ended")
	}
	return nil
}

// remind is called for a reminder: it comes between two runs of one prompt.
func (w *work) remind(o object) error {
	attempt, limit := o.number("attempt"), o.number("maxAttempts")
	switch {
	case !w.unsettled:
		return errors.New("no run has ended")
	case attempt < 1 || attempt > limit:
		return fmt.Errorf("reminder %d of %d", attempt, limit)
	}
	w.reminded = true
	return nil
}

func (w *work) retry(o object) error {
	w.promised = false
	attempt := o.number("attempt")
	if attempt != w.attempt+1 {
		return fmt.Errorf("attempt %d follows attempt %d", attempt, w.attempt)
	}
	if limit := o.number("maxAttempts"); attempt > limit {
		return fmt.Errorf("attempt %d of %d", attempt, limit)
	}
	w.attempt = attempt
	return nil
}

func (w *work) retryEnd(o object) error {
	if attempt := o.number("attempt"); w.attempt == 0 || attempt != w.attempt {
		return fmt.Errorf("ends attempt %d; the open one is %d (0: none)", attempt, w.attempt)
	}
	_, failed := o["finalError"]
	if failed == o.isTrue("success") {
		return errors.New("finalError is there exactly when the retries have failed")
	}
	w.attempt = 0
	return nil
}

func (w *work) compact(o object) error {
	if w.compacting != "" {
		return errors.New("the compaction before hasn't ended")
	}
	w.promised = false
	w.compacting, w.unasked = o.text("action")+o.text("reason"), o.text("reason") != "manual"
	if o.text("type") == "auto_compaction_start" {
		w.compacting = o.text("action")
	}
	return nil
}

func (w *work) compactEnd(o object) error {
	if got := o.text("action") + o.text("reason"); got != w.compacting {
		return fmt.Errorf("ends a compaction of %q; the open one is of %q", got, w.compacting)
	}
	_, result := o["result"]
	_, failed := o["errorMessage"]
	switch {
	case result && (failed || o.isTrue("aborted")):
		return errors.New("has a result, and yet it failed or was aborted")
	case o.isTrue("willRetry") && !result:
		return errors.New("willRetry without a result")
	}
	w.compacting = ""
	return nil
}

func (w *work) finished() error {
	switch {
	case w.attempt > 0:
		return errors.New("auto_retry_end is missing")
	case w.compacting != "":
		return errors.New("the compaction hasn't ended")
	case w.owed > 0:
		return fmt.Errorf("%d accepted prompts without their agent_settled", w.owed)
	case w.unsettled:
		return errors.New("the last run has no agent_settled")
	}
	return nil
}
