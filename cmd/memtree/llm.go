package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

func (a *app) llmCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "llm check [flags]",
		Short: a.say("Try out the model that is set"),
		Args:  a.arguments(0, 0, a.say("check after it")),
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.llmCheckCommand())
	return c
}

func (a *app) llmCheckCommand() *cobra.Command {
	within := defaultPatience
	c := &cobra.Command{
		Use:   "check [flags]",
		Short: a.say("Ask the model one question, and report what works and what to mend"),
		Long: a.say(`Reads the variables of the model, asks it one question, has the embedding model embed one
text, and says who answered, how, how fast and at what price. What is wrong with a variable is said before
anything is sent. The exit code is 1 if there is no model that can be used.

  MEMTREE_LLM_PROVIDER    openai (or compatible), anthropic, ollama, none
  MEMTREE_LLM_MODEL       the name of the model
  MEMTREE_LLM_BASE_URL    where it is; not needed for the provider's own address
  MEMTREE_LLM_API_KEY     the key; not needed for a server without
  MEMTREE_LLM_EMBED_MODEL a model that embeds, in place of the built-in table
  MEMTREE_LLM_TIMEOUT, MEMTREE_LLM_MAX_TOKENS
  MEMTREE_LLM_PRICE       what a million tokens cost, IN,OUT
  MEMTREE_LLM_EMBED_PRICE what a million tokens of the embedding model cost
  MEMTREE_LLM_RECORD      a folder to record in what the model writes
  MEMTREE_LLM_REPLAY      a folder of recordings to play; no model is asked`),
		Example: `  memtree llm check
  MEMTREE_LLM_PROVIDER=ollama MEMTREE_LLM_MODEL=qwen2.5 memtree llm check --json`,
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			if within <= 0 {
				return &usageError{a.say("--max-time is %s; give a time such as 90s or 2m", within)}
			}
			return a.llmCheck(c.Context(), within)
		},
	}
	c.Flags().DurationVar(&within, "max-time", within, a.say("wait so long for an answer"))
	return c
}

// defaultPatience is how long llm check waits for an answer.
const defaultPatience = 30 * time.Second

// checked is the result of llm check, as --json prints it.
type checked struct {
	OK      bool   `json:"ok"`
	Problem string `json:"problem"` // a sentence; "" if ok
	// Code names the problem: setting, none, key, address, model, page, down, slow, busy, request, answer.
	Code     string    `json:"code"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	BaseURL  string    `json:"baseUrl"`
	Key      string    `json:"key"`      // set or unset
	Played   int       `json:"played"`   // recordings that replace the model
	Source   string    `json:"source"`   // the variables that were used
	Answered string    `json:"answered"` // the model that answered, as the provider names it
	Latency  int64     `json:"latencyMs"`
	Features features  `json:"features"`
	Usage    llm.Usage `json:"usage"` // of the test question, as the provider reports it
	Price    any       `json:"price"` // of a million tokens, or "unknown"
	Embed    embedded  `json:"embeddings"`
	Advice   []string  `json:"advice"` // sentences about what works and could be better
}

// features describes how the model can be called.
type features struct {
	Schema bool `json:"schema"` // the server enforces a schema
	Tools  bool `json:"tools"`  // it answers by calling a tool
	JSON   bool `json:"json"`   // it answers with JSON
	Tokens bool `json:"tokens"` // the server reports its token usage
}

// embedded describes the embedding model.
type embedded struct {
	OK      bool   `json:"ok"`
	Problem string `json:"problem"`
	Model   string `json:"model"` // "" for the built-in table
	Dims    int    `json:"dims"`
	Latency int64  `json:"latencyMs"`
	Price   any    `json:"price"` // of a million tokens, or "unknown"
}

// llmCheck tests the model and prints the result.
func (a *app) llmCheck(ctx context.Context, within time.Duration) error {
	r := checked{Price: unknown, Embed: embedded{Price: unknown}, Advice: []string{}, Key: langchain.Secret("").String()}
	c, err := a.model()
	switch {
	case err != nil:
		r.Code, r.Problem = "setting", a.sentence(err)
	case a.playing():
		a.checkPlayed(&r)
	case !c.Configured():
		r.Code, r.Problem = "none", a.noModel()
	default:
		r.Provider, r.Model, r.BaseURL, r.Key, r.Source = c.Provider, c.Model, c.Address(), c.APIKey.String(), c.Source
		if a.checkRecorded(&r, c); r.Problem != "" {
			break
		}
		p := &probe{app: a, config: c, within: within, out: &r}
		if err := p.run(ctx); err != nil {
			return err
		}
	}
	r.OK = r.Problem == ""
	if err := a.printChecked(&r); err != nil {
		return err
	}
	if !r.OK {
		return errSaid
	}
	return nil
}

// noModel explains why there is no model, and how to set one.
func (a *app) noModel() string {
	if a.set("MEMTREE_LLM_PROVIDER") == "none" {
		return a.say("MEMTREE_LLM_PROVIDER is none, so the rules do everything; " +
			"set it to openai, anthropic or ollama to use a model")
	}
	if v, ok := langchain.NamesOf(a.getenv); ok && a.set(v.Model) == "" {
		return a.say("no model is named; "+
			"set %s, or MEMTREE_LLM_MODEL with MEMTREE_LLM_API_KEY or MEMTREE_LLM_BASE_URL", v.Model)
	}
	return a.say("no model is set, so the rules do everything; set MEMTREE_LLM_MODEL, and MEMTREE_LLM_API_KEY or " +
		"MEMTREE_LLM_BASE_URL, to use one")
}

func (a *app) printChecked(r *checked) error {
	if a.json {
		return a.printJSON(r)
	}
	p := &screen.Page{Width: a.Width}
	if r.Provider != "" {
		p.Part(a.say("model"), dotted(r.Provider, r.Model, r.BaseURL))
		key := a.say("key set")
		switch {
		case r.Played > 0:
			key = a.say("no key needed")
		case r.Key == langchain.Secret("").String():
			key = a.say("no key")
		}
		p.Part("", key+" · "+a.say("from %s", r.Source))
	}
	if r.Answered != "" {
		p.Part(a.say("answered"), a.say("%s in %d ms", r.Answered, r.Latency))
		p.Part(a.say("asked by"), a.asked(r.Features))
		tokens := a.say("not reported by the server")
		if r.Features.Tokens {
			tokens = a.say("%d read, %d written for this question", r.Usage.InputTokens, r.Usage.OutputTokens)
		}
		p.Part(a.say("tokens"), tokens)
		p.Part(a.say("price"), a.priceWords(r.Price))
	}
	if r.Embed.OK {
		p.Part(a.say("meaning"), a.say("%s, %d numbers a text, %d ms", r.Embed.Model, r.Embed.Dims, r.Embed.Latency))
		p.Part("", a.say("price")+" "+a.priceWords(r.Embed.Price))
	} else if r.Provider != "" && r.Embed.Model == "" && r.Played == 0 {
		p.Part(a.say("meaning"), a.say("the built-in table; MEMTREE_LLM_EMBED_MODEL names another"))
	}
	if len(p.Lines) > 0 {
		p.Lines = append(p.Lines, "")
	}
	verdict := a.Paint(screen.Green, a.say("The model can be used."))
	if r.Played > 0 {
		verdict = a.Paint(screen.Green, a.say("The recordings can be played."))
	}
	if !r.OK {
		verdict = a.say("The model cannot be used: %s.", r.Problem)
	}
	p.Lines = append(p.Lines, wrapPainted(verdict, a.Width)...)
	for _, s := range r.Advice {
		p.Lines = append(p.Lines, screen.Hanging("- ", s, a.Width)...)
	}
	return a.print(p.Lines...)
}

// asked describes how the form of the answer was enforced.
func (a *app) asked(f features) string {
	switch {
	case f.Schema:
		return a.say("JSON schema, which the server keeps")
	case f.Tools:
		return a.say("a tool that it has to call, with a schema")
	case f.JSON:
		return a.say("JSON; the answers are checked here")
	}
	return a.say("words alone")
}

// priceWords prints a price, or that it is unknown.
func (a *app) priceWords(price any) string {
	p, known := price.(priced)
	if !known {
		return a.say("unknown")
	}
	return a.say("%s for a million tokens read, %s for a million written", amount(p.In), amount(p.Out))
}

// amount prints money with its significant digits.
func amount(x float64) string {
	s := fmt.Sprintf("%.4f", x)
	if x > 0 && x < 0.0001 { // the vectors of a few texts
		s = fmt.Sprintf("%.7f", x)
	}
	return cmp.Or(strings.TrimRight(strings.TrimRight(s, "0"), "."), "0")
}
