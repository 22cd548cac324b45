package slash

import "context"

// remoteCommand shares the session with a browser or a phone.
func remoteCommand(share func(ctx context.Context, s Session, args string) (string, error)) Command {
	return Command{
		Name: "remote", Args: "[lan|host:port|off]", Needs: Terminal, Source: "builtin",
		Summary: "Go on with this session in a browser or on the phone",
		Complete: func(_ context.Context, _ Session, prefix string) []string {
			return beginning([]string{"lan", "off"}, prefix)
		},
		Run: func(ctx context.Context, c Call) (Result, error) {
			text, err := share(ctx, c.Session, c.Args)
			return Result{Handled: true, Reply: text}, err
		},
	}
}
