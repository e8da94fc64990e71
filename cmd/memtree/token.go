package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/server"
)

func (a *app) tokenCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: a.say("Set who may ask a service, and for what"),
		Long: a.say(`Tokens are what callers of memtree serve send. They are kept as hashes in tokens.json beside
the store of --store; a token itself is shown once. A service sees a change with the next request.`),
		Args: a.arguments(0, 0, a.say("a subcommand: add, list or revoke")),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.tokenAddCommand(), a.tokenListCommand(), a.tokenRevokeCommand())
	return c
}

func (a *app) tokenAddCommand() *cobra.Command {
	var name, expires string
	var scopes, trees []string
	c := &cobra.Command{
		Use:   "add --name NAME --scope SCOPE [flags]",
		Short: a.say("Make a token and show it once"),
		Long: a.say(`The scope says what it may do: read (be given guidance, and read what is stored), write (that, and
record evaluations), import (bring memories into quarantine) or admin (everything). --tree limits it to one
tree, --expires says how long it holds.`),
		Example: `  memtree token add --name agent --scope write
  memtree token add --name nightly --scope write --tree shop --expires 90d`,
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(*cobra.Command, []string) error { return a.tokenAdd(name, expires, scopes, trees) },
	}
	f := c.Flags()
	f.StringVar(&name, "name", "", a.say("who it is for; the audit log names it"))
	f.StringSliceVar(&scopes, "scope", nil, a.say("what it may do: read, write, import or admin; may be given again"))
	f.StringSliceVar(&trees, "tree", nil, a.say("only this tree; may be given again"))
	f.StringVar(&expires, "expires", "", a.say("how long it holds, such as 90d or 12h; for ever if left out"))
	completes(c, "scope", func() []cobra.Completion {
		out := make([]cobra.Completion, 0, len(token.Scopes()))
		for _, s := range token.Scopes() {
			out = append(out, string(s))
		}
		return out
	})
	return c
}

// tokenShown is a token as --json prints it. Token is set only when the token is created.
type tokenShown struct {
	Token   string        `json:"token,omitempty"`
	Name    string        `json:"name"`
	Prefix  string        `json:"prefix"`
	Scopes  []token.Scope `json:"scopes"`
	Trees   []string      `json:"trees"` // empty: all
	Created time.Time     `json:"created"`
	Expires *time.Time    `json:"expires"` // null: never
	Expired bool          `json:"expired"`
}

func shownToken(t *token.Token, secret string) tokenShown {
	out := tokenShown{
		Token: secret, Name: t.Name, Prefix: t.Prefix, Scopes: t.Scopes, Trees: append([]string{}, t.Trees...),
		Created: t.Created, Expired: t.Expired(time.Now()),
	}
	if !t.Expires.IsZero() {
		out.Expires = &t.Expires
	}
	return out
}

func (a *app) tokenAdd(name, expires string, scopes, trees []string) error {
	if err := a.checkFolder(reading); err != nil {
		return err
	}
	holds, err := a.holds(expires)
	if err != nil {
		return err
	}
	if err := a.checkToken(name, scopes, trees); err != nil {
		return err
	}
	t, secret, err := token.New(name, scopesOf(scopes), trees, time.Now(), holds)
	if err != nil {
		return &usageError{err.Error()}
	}
	if err := token.Add(a.store, t); err != nil {
		return a.tokenFailure(name, err)
	}
	if a.json {
		return a.printJSON(shownToken(&t, secret))
	}
	if err := a.print(secret); err != nil {
		return err
	}
	a.note(a.say("This is the only time the token is shown. Callers send it as: Authorization: Bearer %s…", t.Prefix))
	return nil
}

// checkToken refuses values that no token can have.
func (a *app) checkToken(name string, scopes, trees []string) error {
	switch {
	case name == "":
		return &usageError{a.say("say who the token is for with --name")}
	case len(scopes) == 0:
		return &usageError{a.say("say what the token may do with --scope: read, write, import or admin")}
	}
	for _, s := range scopes {
		if !strings.Contains(" read write import admin ", " "+s+" ") {
			return &usageError{a.say("--scope is %q; use read, write, import or admin", s)}
		}
	}
	for _, t := range trees {
		if server.CheckName(t) != nil {
			return &usageError{a.badTree(t)}
		}
	}
	return nil
}

func scopesOf(names []string) []token.Scope {
	out := make([]token.Scope, 0, len(names))
	for _, s := range names {
		out = append(out, token.Scope(s))
	}
	return out
}

// holds parses the lifetime of a token; 0 is unlimited.
func (a *app) holds(s string) (time.Duration, error) {
	const most = 100 * 365 * 24 * time.Hour
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(n, int(most/(24*time.Hour))+1)) * 24 * time.Hour
	} else if s != "" {
		d, err = time.ParseDuration(s)
	}
	if err != nil || s != "" && d <= 0 || d > most {
		return 0, &usageError{a.say("--expires is %q; say how long the token holds, such as 90d or 12h", s)}
	}
	return d, nil
}

func (a *app) tokenFailure(name string, err error) error {
	switch {
	case errors.Is(err, token.ErrTaken):
		return &failure{a.say("there is a token named %s; revoke it first, or choose another name", name), err}
	case errors.Is(err, token.ErrUnknown):
		return &failure{a.say("there is no token named %s; memtree token list names them", name), err}
	case errors.Is(err, token.ErrMany):
		return &failure{a.say("there are %d tokens, which is the most; revoke some", token.MaxTokens), err}
	}
	return err
}

func (a *app) tokenListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: a.say("List the tokens: whose they are and what they may do"),
		Args:  a.arguments(0, 0, a.say("no arguments")),
		RunE:  func(*cobra.Command, []string) error { return a.tokenList() },
	}
}

func (a *app) tokenList() error {
	if err := a.checkFolder(reading); err != nil {
		return err
	}
	all, err := token.List(a.store)
	if err != nil {
		return err
	}
	shown := make([]tokenShown, 0, len(all))
	for i := range all {
		shown = append(shown, shownToken(&all[i], ""))
	}
	if a.json {
		return a.printJSON(struct {
			Tokens []tokenShown `json:"tokens"`
		}{shown})
	}
	if len(all) == 0 {
		return a.print(a.say("There is no token. Make one: memtree token add --name agent --scope write"))
	}
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("name"), Least: 8}, {Head: a.say("token")}, {Head: a.say("may")}, {Head: a.say("trees"), Least: 8},
		{Head: a.say("holds until")},
	}}
	for _, x := range shown {
		scopes := make([]string, 0, len(x.Scopes))
		for _, s := range x.Scopes {
			scopes = append(scopes, string(s))
		}
		t.Add(x.Name, x.Prefix+"…", strings.Join(scopes, ", "), a.treesOf(x.Trees), a.until(&x))
	}
	return t.Write(a.stdout, &a.Terminal)
}

func (a *app) treesOf(names []string) string {
	if len(names) == 0 {
		return a.say("all")
	}
	return strings.Join(names, ", ")
}

func (a *app) until(t *tokenShown) string {
	switch {
	case t.Expires == nil:
		return a.say("for ever")
	case t.Expired:
		return a.say("expired")
	}
	return t.Expires.Format(time.DateOnly)
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke NAME",
		Short:   a.say("Take a token back: it holds no longer, from the next request on"),
		Example: "  memtree token revoke nightly",
		Args:    a.arguments(1, 1, a.say("the name of a token")),
		RunE:    func(_ *cobra.Command, args []string) error { return a.tokenRevoke(args[0]) },
	}
}

func (a *app) tokenRevoke(name string) error {
	if err := a.checkFolder(reading); err != nil {
		return err
	}
	if err := token.Revoke(a.store, name); err != nil {
		return a.tokenFailure(name, err)
	}
	if a.json {
		return a.printJSON(struct {
			Revoked string `json:"revoked"`
		}{name})
	}
	return a.print(a.say("Revoked: %s", name))
}
