package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// probe tests a configured model.
type probe struct {
	*app
	config langchain.Config
	within time.Duration
	out    *checked
}

// slow is the response time above which llm check advises: record calls the model for every wrong verdict.
const slow = 20 * time.Second

// run calls the model, then the embedding model. It returns an error only if ctx has ended.
func (p *probe) run(ctx context.Context) error {
	if price, ok := p.model.PriceOf(p.config.Model); ok {
		p.out.Price = price
	}
	if p.config.Model != "" {
		p.generate(ctx)
	}
	if ctx.Err() == nil && p.config.EmbedModel != "" && p.out.Problem == "" {
		p.embed(ctx)
	}
	return ctx.Err()
}

// question does not name the fields of its schema, so an answer with exactly these shows that the server enforced the
// schema.
var question = llm.Request{
	Name: "check@1", Prompt: "Is 7 a prime number? Answer with one JSON object in the form that is asked for.",
	Schema: json.RawMessage(`{"type":"object","properties":{"verdict":{"type":"boolean"},"because":{"type":"string"}},` +
		`"required":["verdict","because"],"additionalProperties":false}`),
}

func (p *probe) generate(ctx context.Context) {
	m, err := langchain.Open(p.config)
	if err != nil {
		p.fail("setting", p.Say("the model cannot be opened: %s", err))
		return
	}
	defer m.Close()
	bounded, cancel := context.WithTimeout(ctx, p.within)
	defer cancel()
	began := time.Now()
	answer, err := m.Generate(bounded, question)
	took := time.Since(began)
	var invalid *llm.Invalid
	switch {
	case err == nil:
	case errors.As(err, &invalid): // the model answered in another form
		if failed, ok := errors.AsType[*llm.Error](err); ok {
			answer.Usage = failed.Usage
		}
		if _, err := llm.Decode(invalid.Answer, nil); err != nil {
			p.fail("answer", p.Say("%s answers, but not with JSON, so most of its answers could not be used; "+
				"choose a larger model", p.config.Model))
		}
	default:
		p.fail(p.fault(err, p.config.Model, "MODEL", took))
		return
	}
	o := p.out
	o.Answered, o.Latency, o.Usage = cmp.Or(answer.Model, p.config.Model), took.Milliseconds(), answer.Usage
	o.Features = features{JSON: o.Problem == "", Tokens: answer.Usage != (llm.Usage{})}
	o.Features.Schema = invalid == nil && m.Form() == langchain.BySchema
	o.Features.Tools = invalid == nil && m.Form() == langchain.ByTool
	if o.Problem == "" {
		p.advise(took)
	}
}

// advise lists what works but could be better.
func (p *probe) advise(took time.Duration) {
	o := p.out
	if !o.Features.Schema && !o.Features.Tools {
		o.Advice = append(o.Advice, p.Say("The server does not keep to a JSON schema; "+
			"answers are checked, and more of them are asked for twice."))
	}
	if took > slow {
		o.Advice = append(o.Advice, p.Say("It took %d s; record asks for every wrong verdict, "+
			"so bound it with --max-time, or choose a smaller model.", int(took.Seconds())))
	}
	if !o.Features.Tokens {
		o.Advice = append(o.Advice, p.Say("The server does not report how many tokens it used, so the cost is unknown."))
	}
	if o.Price == model.Unknown {
		o.Advice = append(o.Advice, p.Say("What it costs is not known; give the price of a million tokens in memtree.yaml "+
			"under prices, or as MEMTREE_LLM_PRICE=IN,OUT."))
	}
}

func (p *probe) embed(ctx context.Context) {
	e := &p.out.Embed
	e.Model = p.config.EmbedModel
	if price, known := p.model.EmbedPriceOf(e.Model); known {
		e.Price = price
	}
	m, err := langchain.OpenEmbedder(p.config)
	if err != nil {
		p.fail("setting", p.Say("the embedding model cannot be opened: %s", err))
		e.Problem = p.out.Problem
		return
	}
	defer m.Close()
	bounded, cancel := context.WithTimeout(ctx, p.within)
	defer cancel()
	began := time.Now()
	vectors, err := m.Embed(bounded, []string{"Is 7 a prime number?"})
	took := time.Since(began)
	if err != nil {
		p.fail(p.fault(err, p.config.EmbedModel, "EMBED_MODEL", took))
		e.Problem = p.out.Problem
		return
	}
	e.OK, e.Dims, e.Latency = true, len(vectors[0]), took.Milliseconds()
}

func (p *probe) fail(code, sentence string) { p.out.Code, p.out.Problem = code, text.Line(sentence) }
