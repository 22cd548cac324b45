package client

import (
	"context"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Delivery says when a message sent during a run reaches the model.
type Delivery string

const (
	Steer    Delivery = "steer"    // at the end of the turn, or with Immediate after the running tool
	FollowUp Delivery = "followUp" // when the model has nothing more to do
)

// PromptOptions go with a prompt's text.
type PromptOptions struct {
	// Images are blocks of message.ImageOf.
	Images []message.Block
	// During says what to do while a run is going; empty refuses the prompt
	// then.
	During Delivery
}

type promptParams struct {
	Message string          `json:"message"`
	Images  []message.Block `json:"images,omitempty"`
	During  Delivery        `json:"streamingBehavior,omitempty"`
}

// Prompt gives the agent a message and returns when it has been accepted. What
// comes of it is in the events, and in Turn.Wait.
func (c *Client) Prompt(ctx context.Context, text string, o PromptOptions) (*Turn, error) {
	return c.prompt(ctx, "prompt", promptParams{text, o.Images, o.During})
}

// PromptAndWait is Prompt and Turn.Wait.
func (c *Client) PromptAndWait(ctx context.Context, text string) (Result, error) {
	turn, err := c.Prompt(ctx, text, PromptOptions{})
	if err != nil {
		return Result{}, err
	}
	return turn.Wait(ctx)
}

// AbortAndPrompt stops the run, if there is one, and then does what Prompt does.
func (c *Client) AbortAndPrompt(ctx context.Context, text string, images ...message.Block) (*Turn, error) {
	return c.prompt(ctx, "abort_and_prompt", promptParams{Message: text, Images: images})
}

func (c *Client) prompt(ctx context.Context, command string, p promptParams) (*Turn, error) {
	turn := &Turn{rides: p.During != "", done: make(chan struct{})}
	if _, err := c.call(ctx, &call{command: command, turn: turn}, p); err != nil {
		return nil, err
	}
	return turn, nil
}

// Steer queues a message for the running turn's end. On an idle agent it waits
// for the next prompt. The Disposition is empty if the agent doesn't tell.
func (c *Client) Steer(ctx context.Context, text string, images ...message.Block) (Disposition, error) {
	return c.enqueue(ctx, "steer", text, images)
}

// FollowUp queues a message for when the model has nothing more to do. On an
// idle agent it waits for the next prompt.
func (c *Client) FollowUp(ctx context.Context, text string, images ...message.Block) (Disposition, error) {
	return c.enqueue(ctx, "follow_up", text, images)
}

func (c *Client) enqueue(ctx context.Context, command, text string, images []message.Block) (Disposition, error) {
	data, err := ask[struct {
		Disposition Disposition `json:"disposition"`
	}](ctx, c, command, promptParams{Message: text, Images: images})
	return data.Disposition, err
}

// Abort stops the run, with its retries, or the compaction that is going on,
// and returns when it has stopped. Queued messages stay queued.
func (c *Client) Abort(ctx context.Context) error { return c.do(ctx, "abort", nil) }

// Queue holds the texts of the messages that wait.
type Queue struct {
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

// ClearQueue takes all messages out of the queue and returns what they were.
func (c *Client) ClearQueue(ctx context.Context) (Queue, error) {
	return ask[Queue](ctx, c, "clear_queue", nil)
}

// QueueMode says how many queued messages are delivered at a time.
type QueueMode string

const (
	All        QueueMode = "all"
	OneAtATime QueueMode = "one-at-a-time" // the default
)

// InterruptMode says when steering reaches a turn.
type InterruptMode string

const (
	Immediate InterruptMode = "immediate" // between two tools, the rest are skipped
	AtTurnEnd InterruptMode = "wait"      // the default
)

// SetSteeringMode holds for the session, as the other modes do.
func (c *Client) SetSteeringMode(ctx context.Context, m QueueMode) error {
	return c.do(ctx, "set_steering_mode", params{"mode": m})
}

// SetFollowUpMode is SetSteeringMode for follow-up messages.
func (c *Client) SetFollowUpMode(ctx context.Context, m QueueMode) error {
	return c.do(ctx, "set_follow_up_mode", params{"mode": m})
}

func (c *Client) SetInterruptMode(ctx context.Context, m InterruptMode) error {
	return c.do(ctx, "set_interrupt_mode", params{"mode": m})
}

// params are the fields of a command.
type params map[string]any

// do is Call for a command whose response has no data.
func (c *Client) do(ctx context.Context, command string, p any) error {
	_, err := c.Call(ctx, command, p)
	return err
}
