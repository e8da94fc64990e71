package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/server"
)

func tokenCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:  "token",
		Args: arguments(a.Voice, 0, 0, a.Say("a subcommand: add, list or revoke")),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(tokenAddCommand(a), tokenListCommand(a), tokenRevokeCommand(a))
	return c
}

func tokenAddCommand(a *app) *cobra.Command {
	var name, expires string
	var scopes, trees []string
	c := &cobra.Command{
		Use:  "add --name NAME --scope SCOPE [flags]",
		RunE: func(*cobra.Command, []string) error { return tokenAdd(a, name, expires, scopes, trees) },
	}
	f := c.Flags()
	f.StringVar(&name, "name", "", a.Say("who it is for; the audit log names it"))
	f.StringSliceVar(&scopes, "scope", nil, a.Say("what it may do: read, write, import or admin; may be given again"))
	f.StringSliceVar(&trees, "tree", nil, a.Say("only this tree; may be given again"))
	f.StringVar(&expires, "expires", "", a.Say("how long it holds, such as 90d or 12h; for ever if left out"))
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
	Token   string             `json:"token,omitempty"`
	Name    string             `json:"name"`
	Prefix  string             `json:"prefix"`
	Scopes  []token.Permission `json:"scopes"`
	Trees   []string           `json:"trees"` // empty: all
	Created time.Time          `json:"created"`
	Expires *time.Time         `json:"expires"` // null: never
	Expired bool               `json:"expired"`
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

func tokenAdd(a *app, name, expires string, scopes, trees []string) error {
	if err := a.store.Exists(); err != nil {
		return err
	}
	holds, err := lifetime(a.Voice, expires)
	if err != nil {
		return err
	}
	if err := checkToken(a.Voice, name, scopes, trees); err != nil {
		return err
	}
	t, secret, err := token.New(name, scopesOf(scopes), trees, time.Now(), holds)
	if err != nil {
		return &say.UsageError{Text: err.Error()}
	}
	if err := token.Add(a.store.Tokens(), t); err != nil {
		return tokenFailure(a.Voice, name, err)
	}
	if a.JSON {
		return a.PrintJSON(shownToken(&t, secret))
	}
	if err := a.Print(secret); err != nil {
		return err
	}
	a.Note(a.Say("This is the only time the token is shown. Callers send it as: Authorization: Bearer %s…", t.Prefix))
	return nil
}

// checkToken refuses values that no token can have.
func checkToken(v *say.Voice, name string, scopes, trees []string) error {
	switch {
	case name == "":
		return v.Usage("say who the token is for with --name")
	case len(scopes) == 0:
		return v.Usage("say what the token may do with --scope: read, write, import or admin")
	}
	for _, s := range scopes {
		if !strings.Contains(" read write import admin ", " "+s+" ") {
			return v.Usage("--scope is %q; use read, write, import or admin", s)
		}
	}
	for _, t := range trees {
		if server.CheckName(t) != nil {
			return &say.UsageError{Text: badTree(v, t)}
		}
	}
	return nil
}

func scopesOf(names []string) []token.Permission {
	out := make([]token.Permission, 0, len(names))
	for _, s := range names {
		out = append(out, token.Permission(s))
	}
	return out
}

// lifetime parses the lifetime of a token; 0 is unlimited.
func lifetime(v *say.Voice, s string) (time.Duration, error) {
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
		return 0, v.Usage("--expires is %q; say how long the token holds, such as 90d or 12h", s)
	}
	return d, nil
}

func tokenFailure(v *say.Voice, name string, err error) error {
	switch {
	case errors.Is(err, token.ErrTaken):
		return v.Fail(err, "there is a token named %s; revoke it first, or choose another name", name)
	case errors.Is(err, token.ErrUnknown):
		return v.Fail(err, "there is no token named %s; memtree token list names them", name)
	case errors.Is(err, token.ErrMany):
		return v.Fail(err, "there are %d tokens, which is the most; revoke some", token.MaxTokens)
	}
	return err
}

func tokenListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "list",
		RunE: func(*cobra.Command, []string) error { return tokenList(a) },
	}
}

func tokenList(a *app) error {
	if err := a.store.Exists(); err != nil {
		return err
	}
	all, err := token.List(a.store.Tokens())
	if err != nil {
		return err
	}
	shown := make([]tokenShown, 0, len(all))
	for i := range all {
		shown = append(shown, shownToken(&all[i], ""))
	}
	result := map[string][]tokenShown{"tokens": shown}
	if len(all) == 0 {
		return a.Result(result, a.Say("There is no token. Make one: memtree token add --name agent --scope write"))
	}
	t := &say.Table{Columns: []say.Column{
		{Head: a.Say("name"), Least: 8}, {Head: a.Say("token")}, {Head: a.Say("may")}, {Head: a.Say("trees"), Least: 8},
		{Head: a.Say("holds until")},
	}}
	for _, x := range shown {
		scopes := make([]string, 0, len(x.Scopes))
		for _, s := range x.Scopes {
			scopes = append(scopes, string(s))
		}
		t.Add(x.Name, x.Prefix+"…", strings.Join(scopes, ", "), treesOf(a.Voice, x.Trees), until(a.Voice, &x))
	}
	return a.Result(result, t.Painted(&a.Terminal)...)
}

func treesOf(v *say.Voice, names []string) string {
	if len(names) == 0 {
		return v.Say("all")
	}
	return strings.Join(names, ", ")
}

func until(v *say.Voice, t *tokenShown) string {
	switch {
	case t.Expires == nil:
		return v.Say("for ever")
	case t.Expired:
		return v.Say("expired")
	}
	return t.Expires.Format(time.DateOnly)
}

func tokenRevokeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "revoke NAME",
		Args: arguments(a.Voice, 1, 1, a.Say("the name of a token")),
		RunE: func(_ *cobra.Command, args []string) error { return tokenRevoke(a, args[0]) },
	}
}

func tokenRevoke(a *app, name string) error {
	if err := a.store.Exists(); err != nil {
		return err
	}
	if err := token.Revoke(a.store.Tokens(), name); err != nil {
		return tokenFailure(a.Voice, name, err)
	}
	return a.Result(map[string]string{"revoked": name}, a.Say("Revoked: %s", name))
}
