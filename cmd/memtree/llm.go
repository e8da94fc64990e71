package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
	"github.com/memtree/memtree/llm/meter"
)

func llmCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:  "llm check [flags]",
		Args: arguments(a.Voice, 0, 0, a.Say("check after it")),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(llmCheckCommand(a))
	return c
}

func llmCheckCommand(a *app) *cobra.Command {
	within := defaultPatience
	c := &cobra.Command{
		Use: "check [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			if within <= 0 {
				return a.Usage("--max-time is %s; give a time such as 90s or 2m", within)
			}
			return runLLMCheck(c.Context(), a, within)
		},
	}
	c.Flags().DurationVar(&within, "max-time", within, a.Say("wait so long for an answer"))
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
	Model   string `json:"model"` // "" for a built-in one
	Dims    int    `json:"dims"`
	Latency int64  `json:"latencyMs"`
	Price   any    `json:"price"` // of a million tokens, or "unknown"
}

// runLLMCheck tests the model and prints the result.
func runLLMCheck(ctx context.Context, a *app, within time.Duration) error {
	r := checked{Price: model.Unknown, Embed: embedded{Price: model.Unknown}, Advice: []string{},
		Key: langchain.Secret("").String()}
	c, err := a.model.Config()
	switch {
	case err != nil:
		r.Code, r.Problem = "setting", a.Sentence(err)
	case a.model.Playing():
		checkPlayed(a, &r)
	case !c.Configured():
		r.Code, r.Problem = "none", noModel(a.Voice)
	default:
		r.Provider, r.Model, r.BaseURL, r.Key, r.Source = c.Provider, c.Model, c.Address(), c.APIKey.String(), c.Source
		if checkRecorded(a, &r, c); r.Problem != "" {
			break
		}
		p := &probe{app: a, config: c, within: within, out: &r}
		if err := p.run(ctx); err != nil {
			return err
		}
	}
	r.OK = r.Problem == ""
	if err := printChecked(a.Voice, &r); err != nil {
		return err
	}
	if !r.OK {
		return say.ErrPrinted
	}
	return nil
}

// noModel explains why there is no model, and how to set one.
func noModel(v *say.Voice) string {
	if v.Env("MEMTREE_LLM_PROVIDER") == "none" {
		return v.Say("MEMTREE_LLM_PROVIDER is none, so the rules do everything; " +
			"set it to openai, anthropic or ollama to use a model")
	}
	if x, ok := langchain.NamesOf(v.Getenv); ok && v.Env(x.Model) == "" {
		return v.Say("no model is named; "+
			"set %s, or MEMTREE_LLM_MODEL with MEMTREE_LLM_API_KEY or MEMTREE_LLM_BASE_URL", x.Model)
	}
	return v.Say("no model is set, so the rules do everything; set MEMTREE_LLM_MODEL, and MEMTREE_LLM_API_KEY or " +
		"MEMTREE_LLM_BASE_URL, to use one")
}

func printChecked(v *say.Voice, r *checked) error {
	if v.JSON {
		return v.PrintJSON(r)
	}
	p := v.Page()
	if r.Provider != "" {
		p.Part(v.Say("model"), dotted(r.Provider, r.Model, r.BaseURL))
		key := v.Say("key set")
		switch {
		case r.Played > 0:
			key = v.Say("no key needed")
		case r.Key == langchain.Secret("").String():
			key = v.Say("no key")
		}
		p.Part("", key+" · "+v.Say("from %s", r.Source))
	}
	if r.Answered != "" {
		p.Part(v.Say("answered"), v.Say("%s in %d ms", r.Answered, r.Latency))
		p.Part(v.Say("asked by"), asked(v, r.Features))
		tokens := v.Say("not reported by the server")
		if r.Features.Tokens {
			tokens = v.Say("%d read, %d written for this question", r.Usage.InputTokens, r.Usage.OutputTokens)
		}
		p.Part(v.Say("tokens"), tokens)
		p.Part(v.Say("price"), priceWords(v, r.Price))
	}
	if r.Embed.OK {
		p.Part(v.Say("meaning"), v.Say("%s, %d numbers a text, %d ms", r.Embed.Model, r.Embed.Dims, r.Embed.Latency))
		p.Part("", v.Say("price")+" "+priceWords(v, r.Embed.Price))
	} else if r.Provider != "" && r.Embed.Model == "" && r.Played == 0 {
		p.Part(v.Say("meaning"), v.Say("the built-in encoder; MEMTREE_LLM_EMBED_MODEL names another"))
	}
	if len(p.Lines) > 0 {
		p.Raw("")
	}
	verdict := v.Paint(say.Green, v.Say("The model can be used."))
	if r.Played > 0 {
		verdict = v.Paint(say.Green, v.Say("The recordings can be played."))
	}
	if !r.OK {
		verdict = v.Say("The model cannot be used: %s.", r.Problem)
	}
	p.Raw(wrapPainted(verdict, v.Width)...)
	for _, s := range r.Advice {
		p.Item("- ", s)
	}
	return v.Print(p.Lines...)
}

// asked describes how the form of the answer was enforced.
func asked(v *say.Voice, f features) string {
	switch {
	case f.Schema:
		return v.Say("JSON schema, which the server keeps")
	case f.Tools:
		return v.Say("a tool that it has to call, with a schema")
	case f.JSON:
		return v.Say("JSON; the answers are checked here")
	}
	return v.Say("words alone")
}

// priceWords prints a price, or that it is unknown.
func priceWords(v *say.Voice, price any) string {
	p, known := price.(meter.Price)
	if !known {
		return v.Say("unknown")
	}
	return v.Say("%s for a million tokens read, %s for a million written", model.Amount(p.In), model.Amount(p.Out))
}

// checkPlayed describes, for llm check, the recordings that are played. It calls no model.
func checkPlayed(a *app, r *checked) {
	p, err := a.model.Recordings()
	if err != nil {
		r.Code, r.Problem = "setting", a.Sentence(err)
		return
	}
	const most = 200 // characters
	answers, vectors := p.Len()
	r.Played, r.Provider, r.Source = answers+vectors, "recordings", model.ReplayVariable
	r.Model, r.Price = text.Clip(text.Line(strings.Join(p.Models(), ", ")), most), meter.Price{}
	r.Advice = append(r.Advice, a.Say("No model is asked: %d answers are played from %s, at no cost.",
		answers, a.Env(model.ReplayVariable)))
	e, err := p.Embedder()
	switch {
	case err != nil:
		r.Code, r.Problem = "setting", a.Sentence(a.model.FolderFailure(model.ReplayVariable, err))
	case e != nil:
		r.Embed = embedded{OK: true, Model: e.ID(), Dims: e.Dims(), Price: meter.Price{}}
		r.Advice = append(r.Advice, a.Say("Vectors are played too: %d.", vectors))
	}
}

// checkRecorded describes, for llm check, where answers are recorded, or why they cannot be.
func checkRecorded(a *app, r *checked, c langchain.ModelConfig) {
	if _, err := a.model.Recorded(nil, c); err != nil {
		r.Code, r.Problem = "setting", a.Sentence(err)
	} else if dir := a.Env(model.RecordVariable); dir != "" {
		r.Advice = append(r.Advice,
			a.Say("What the model writes for record and evolve is kept in %s; this question is not.", dir))
	}
}
