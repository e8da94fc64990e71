package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// probe tests a configured model.
type probe struct {
	*app
	config langchain.ModelConfig
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

// fault returns the code of a failed model call, and a sentence with what to do. what is the end of the name of the
// variable that names the model.
func (p *probe) fault(err error, model, what string, took time.Duration) (code, sentence string) {
	v, _ := langchain.NamesOf(p.Getenv)
	name := v.Model
	if what != "MODEL" {
		name = "MEMTREE_LLM_" + what
	}
	f := &llm.Error{Kind: llm.KindOf(err), Err: err}
	errors.As(err, &f)
	said := ""
	if f.Err != nil {
		const most = 200 // characters
		said = text.Clip(text.Line(f.Err.Error()), most)
	}
	lower := strings.ToLower(said)
	at := p.config.Address()
	switch {
	case strings.Contains(lower, "web page"):
		return "page", p.Say("what answers at %s is a web page and no model; "+
			"%s is wrong, or a proxy or a login page stands between", at, p.addressName(v))
	case f.Kind == llm.KindUnauthorised && p.config.APIKey == "":
		return "key", p.Say("the server at %s wants a key; set %s", at, v.APIKey)
	case f.Kind == llm.KindUnauthorised:
		return "key", p.Say("the provider refuses the key (HTTP %d%s); check %s", f.Status, p.quoted(said), v.APIKey)
	case f.Kind == llm.KindNotFound && strings.Contains(lower, "has moved"):
		return "address", p.Say("%s; %s names the old address", said, p.addressName(v))
	case f.Kind == llm.KindNotFound && (strings.Contains(lower, "model") || strings.Contains(said, model)):
		return "model", p.missing(model, name, said)
	case f.Kind == llm.KindNotFound:
		return "address", p.wrongPath(at, p.addressName(v), f.Status)
	case f.Kind == llm.KindRateLimited:
		return "busy", p.Say("the provider has had too many requests%s; try again later", p.quoted(said))
	case f.Kind == llm.KindTimeout:
		return "slow", p.tooSlow(at, took)
	case f.Kind == llm.KindUnavailable && f.Status != 0:
		return "down", p.Say("the server at %s fails (HTTP %d%s); try again later, or look at its log",
			at, f.Status, p.quoted(said))
	case f.Kind == llm.KindUnavailable:
		return "down", p.unreached(at, p.addressName(v), said)
	case f.Kind == llm.KindBadRequest && f.Status == 405:
		return "address", p.wrongPath(at, p.addressName(v), f.Status)
	case f.Kind == llm.KindBadRequest && strings.Contains(said, model):
		return "model", p.missing(model, name, said)
	case f.Kind == llm.KindBadRequest:
		return "request", p.Say("the server at %s does not understand the request%s; check MEMTREE_LLM_PROVIDER, which is %s",
			at, p.quoted(said), p.config.Provider)
	case f.Kind == llm.KindTruncated:
		return "answer", p.Say("the answer was cut off; raise MEMTREE_LLM_MAX_TOKENS")
	case f.Kind == llm.KindRefused:
		return "answer", p.Say("the model would not answer%s; choose another with %s", p.quoted(said), name)
	}
	return "answer", p.Say("what answers at %s is no %s model%s; check %s and MEMTREE_LLM_PROVIDER",
		at, p.config.Provider, p.quoted(said), p.addressName(v))
}

// addressName returns the name of the variable for the address, which may be unset.
func (p *probe) addressName(v langchain.EnvNames) string { return v.BaseURL }

// quoted returns the server's own text, after a colon.
func (p *probe) quoted(said string) string {
	if said == "" {
		return ""
	}
	return p.Say(": %s", strings.TrimRight(said, "."))
}

func (p *probe) missing(model, name, said string) string {
	if p.config.Provider == langchain.Ollama {
		return p.Say("Ollama has no model %s; get it with `ollama pull %s`, or name another with %s", model, model, name)
	}
	return p.Say("the provider has no model %s%s; check %s", model, p.quoted(said), name)
}

// wrongPath explains what to do if a server does not know the path.
func (p *probe) wrongPath(at, name string, status int) string {
	u, err := url.Parse(at)
	if err == nil && p.config.Provider != langchain.Ollama && !strings.HasSuffix(u.Path, "/v1") {
		return p.Say("the server at %s has no such path (HTTP %d); %s most likely has to end in /v1", at, status, name)
	}
	return p.Say("the server at %s has no such path (HTTP %d); "+
		"check the path of %s, and MEMTREE_LLM_PROVIDER, which is %s", at, status, name, p.config.Provider)
}

func (p *probe) tooSlow(at string, took time.Duration) string {
	if limit := p.config.Timeout; limit > 0 && limit < p.within {
		return p.Say("no answer from %s within %s, which is MEMTREE_LLM_TIMEOUT; "+
			"raise it, or choose a smaller model", at, limit)
	}
	return p.Say("no answer from %s within %d s; wait longer with --max-time, or choose a smaller model",
		at, int(took.Seconds()))
}

// unreached explains why there was no connection.
func (p *probe) unreached(at, name, said string) string {
	switch lower := strings.ToLower(said); {
	case strings.Contains(lower, "no such host"):
		return p.Say("there is no host of the name in %s; check %s", at, name)
	case strings.Contains(lower, "connection refused"):
		return p.Say("nothing listens at %s; start the server, or check %s", at, name)
	case strings.Contains(lower, "http response to https"):
		return p.Say("the server at %s does not speak https; write http:// in %s", at, name)
	case strings.Contains(lower, "x509"), strings.Contains(lower, "certificate"), strings.Contains(lower, "tls"):
		return p.Say("no safe connection to %s%s; check its certificate and the https:// in %s", at, p.quoted(said), name)
	}
	return p.Say("%s is not reached%s; check %s, and that the server runs", at, p.quoted(said), name)
}
