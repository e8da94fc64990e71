package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/tree"
)

// route is the entry of a route for the guard. Every served route has a row here.
type route struct {
	id, method, path string
	scope            token.Permission // that a token needs; "": open to all
	body             int64            // maximum bytes of a body; 0: no body
	stream           bool             // it may take longer than others, and has a limit of its own
	changes          bool             // it changes a tree, so the audit log gets a line
	summary, about   string
	serve            handler // nil: register serves it
	status           int     // of an answer without an error; 0: 200
}

// handler registers the handler of a route.
type handler func(s *Server, r *route)

// Limits on bodies, in bytes.
const (
	maxQuestion    = 4 << 20
	maxEvaluations = 16 << 20
	maxWord        = 1 << 20
	maxImport      = 256 << 20

	// mostEvaluations is the maximum number of evaluations in one request.
	mostEvaluations = 1000
)

const inTreePath = "/v1/trees/{tree}"

var routes = []route{
	{id: "healthz", method: "GET", path: "/healthz", summary: "Is the service alive?", serve: by((*Server).healthz)},
	{id: "readyz", method: "GET", path: "/readyz",
		serve: by((*Server).readyz), summary: "Can it answer, and is every tree whole?"},
	{id: "metrics", method: "GET", path: "/metrics", scope: token.Admin, summary: "Numbers for Prometheus"},
	{id: "profile", method: "GET", path: "/debug/pprof/{name}", scope: token.Admin, stream: true,
		summary: "A profile of the process, such as heap or profile"},
	{id: "openapi", method: "GET", path: "/openapi.json", summary: "This specification"},

	{id: "record", method: "POST", path: inTreePath + "/evaluations", scope: token.Write, body: maxEvaluations,
		serve: by((*Server).record), status: http.StatusAccepted, changes: true, summary: "Record judged runs",
		about: "Takes a JSON array of at most 1000 evaluations, in the names that `memtree record` reads, or one a line. " +
			"Keys that are not known are ignored, as files of other tools have them. All are accepted or, if one cannot be " +
			"used, none. 202 is only said when they are durable; cases are formed later. Repeating a request changes " +
			"nothing. Another evaluation under an id that was used is 409, which names the id; the others are accepted."},
	{id: "guide", method: "POST", path: inTreePath + "/guidance", scope: token.Read, body: maxQuestion,
		serve: by((*Server).guide), summary: "Guidance before a run",
		about: "Hand `trial` back with the judged run. A token of the scope read is given guidance without a trial, and " +
			"may not name a run: chance would decide about it, and nothing may be written."},
	{id: "context", method: "POST", path: inTreePath + "/context", scope: token.Write, body: maxQuestion,
		serve: by((*Server).context), summary: "Guidance, facts and where things are, within a budget of tokens",
		about: "Hand `trial` back with the judged run."},
	{id: "search", method: "GET", path: inTreePath + "/search", scope: token.Read,
		serve: by((*Server).search), summary: "Look for a text in memories, facts and elements of the map"},
	{id: "findElement", method: "GET", path: inTreePath + "/map/find", scope: token.Read,
		serve: by((*Server).findElement), summary: "Selectors that worked for an element"},
	{id: "coverage", method: "GET", path: inTreePath + "/map/coverage", scope: token.Read,
		serve: by((*Server).coverage), summary: "How much of a product tests touch"},
	{id: "gaps", method: "GET", path: inTreePath + "/map/gaps", scope: token.Read,
		serve: by((*Server).gaps), summary: "What no test touches, on the pages with the most wrong verdicts first"},
	{id: "path", method: "GET", path: inTreePath + "/map/path", scope: token.Read,
		serve: by((*Server).path), summary: "The way from one page to another, with selectors that worked"},
	{id: "page", method: "GET", path: inTreePath + "/map/page", scope: token.Read,
		serve: by((*Server).page), summary: "What is known of one page: elements, ways, interfaces, tests"},
	{id: "requirements", method: "GET", path: inTreePath + "/map/requirements", scope: token.Read,
		serve: by((*Server).requirements), summary: "Requirements, and which tests check them"},
	{id: "walk", method: "POST", path: inTreePath + "/map", scope: token.Write, body: maxQuestion, changes: true,
		serve: by((*Server).addWalk), summary: "Add what a run or an exploration saw to the map",
		about: "A walk that was handed in before changes nothing."},
	{id: "runs", method: "GET", path: inTreePath + "/runs", scope: token.Read,
		serve: by((*Server).runs), summary: "Runs of agents: those under way, and ended ones like a goal"},
	{id: "startRun", method: "POST", path: inTreePath + "/runs", scope: token.Write, body: maxWord, changes: true,
		serve: by((*Server).startRun), summary: "Begin a run towards a goal",
		about: "A run of that id that is there is 422: go on with it."},
	{id: "run", method: "GET", path: inTreePath + "/runs/{id}", scope: token.Read,
		serve: by((*Server).oneRun), summary: "One run, whole"},
	{id: "updateRun", method: "POST", path: inTreePath + "/runs/{id}", scope: token.Write, body: maxQuestion,
		serve: by((*Server).updateRun), changes: true, summary: "Add updates to a run",
		about: "Tasks, notes, decisions, errors, findings, pages visited, elements tested, values, the end, and feedback. " +
			"All are saved, or none; each is durable when this answers."},
	{id: "resumeRun", method: "GET", path: inTreePath + "/runs/{id}/resume", scope: token.Read,
		serve: by((*Server).resumeRun), summary: "What an agent needs to go on with a run"},
	{id: "checks", method: "POST", path: inTreePath + "/checks", scope: token.Read, body: maxQuestion,
		serve: by((*Server).checks), summary: "What was missed on this page, as assertions that a program can run",
		about: "With an observation each says how that page is: it holds, is broken, or is unknown. Nothing is written."},
	{id: "risk", method: "POST", path: inTreePath + "/risk", scope: token.Read, body: maxQuestion,
		serve: by((*Server).risk), summary: "How likely is a verdict to be wrong?",
		about: "Takes one evaluation without its truth. Nothing is written."},
	{id: "explain", method: "POST", path: inTreePath + "/explain", scope: token.Read, body: maxQuestion,
		serve:   by((*Server).explain),
		summary: "Why each memory would be given or left out", about: "Nothing is written."},
	{id: "mcp", method: "POST", path: inTreePath + "/mcp", scope: token.Read, body: maxMCP,
		summary: "MCP for agents, over streamable HTTP",
		about: "Messages of the Model Context Protocol, each alone: there are no sessions. A token of the scope write has " +
			"the tools that record too. ?lang=zh gives titles in Chinese."},

	{id: "trees", method: "GET", path: "/v1/trees", scope: token.Read,
		serve: by((*Server).listTrees), summary: "The trees that the token may see"},
	{id: "tree", method: "GET", path: inTreePath, scope: token.Read,
		serve: by((*Server).tree), summary: "How much one holds, and how it is"},
	{id: "stats", method: "GET", path: inTreePath + "/stats", scope: token.Read,
		serve: by((*Server).stats), summary: "Its numbers"},
	{id: "effect", method: "GET", path: inTreePath + "/effect", scope: token.Read,
		serve: by((*Server).effect), summary: "Does memory help?"},
	{id: "nodes", method: "GET", path: inTreePath + "/nodes", scope: token.Read,
		serve: by((*Server).nodes), summary: "Memories, page by page"},
	{id: "node", method: "GET", path: inTreePath + "/nodes/{id}", scope: token.Read,
		serve:   by((*Server).node),
		summary: "One memory with its evidence and lineage", about: "Answers 304 to an If-None-Match that holds."},

	{id: "teach", method: "POST", path: inTreePath + "/lessons", scope: token.Admin, body: maxQuestion, changes: true,
		serve: by((*Server).teach), summary: "Teach a lesson that no run has shown yet",
		about: "It is given from now on before the tests that it fits. One that another lesson says already is refused, " +
			"by the id of that one; teaching the same again adds tests. An agent proposes over MCP."},
	word("pin", ofOne((*curation.Curation).Pin), "Keep a memory, whatever is learned, counted or pruned"),
	word("ban", ofOne((*curation.Curation).Ban), "Never give a memory again, nor learn it again"),
	word("forget", by((*Server).forget), "Take a memory out of use, and what was learned from it"),
	word("about", by((*Server).about), "Say which checks a case is about, and which not"),
	word("edit", by((*Server).edit), "Word a lesson better, by the gates that every lesson passes"),
	word("undo", ofOne((*curation.Curation).Undo), "Take back what was said last of a memory"),
	{id: "facts", method: "GET", path: inTreePath + "/facts", scope: token.Read,
		serve: by((*Server).facts), summary: "What is known of the products under test"},
	{id: "stateFact", method: "POST", path: inTreePath + "/facts", scope: token.Admin, body: maxWord, changes: true,
		serve:   by((*Server).stateFact),
		summary: "State what holds of a product", about: "It is given from now on before the tests that need it. An agent " +
			"proposes over MCP."},
	onFact("confirmFact", "confirm", ofOne((*curation.Curation).ConfirmFact), "Confirm that a fact still holds"),
	onFact("contradictFact", "contradict", ofOne((*curation.Curation).ContradictFact),
		"Contradict a fact: it is given no more"),
	onFact("settleFact", "settle", ofOne((*curation.Curation).SettleFact), "Confirm a fact against what contradicts it"),
	onFact("forgetFact", "forget", by((*Server).forgetFact), "Take a fact out of use"),
	onFact("editFact", "edit", by((*Server).editFact), "Put another statement in the place of a fact"),
	{id: "relabel", method: "POST", path: inTreePath + "/relabel", scope: token.Admin, body: maxQuestion, changes: true,
		serve: by((*Server).relabel), summary: "Say that the truth of an evaluation was another"},
	{id: "inbox", method: "GET", path: inTreePath + "/inbox", scope: token.Read,
		serve: by((*Server).inbox), summary: "Runs without a label, the riskiest first"},
	{id: "label", method: "POST", path: inTreePath + "/inbox", scope: token.Admin, body: maxWord, changes: true,
		serve: by((*Server).label), summary: "Label several runs at once",
		about: "A run that has a label stays as it is and is named in decided. One undo takes all of it back."},
	{id: "review", method: "GET", path: inTreePath + "/review", scope: token.Read,
		serve: by((*Server).review), summary: "Lessons that wait for a person, and drafts that were refused"},
	{id: "decide", method: "POST", path: inTreePath + "/review", scope: token.Admin, body: maxWord, changes: true,
		serve:   by((*Server).decide),
		summary: "Accept or reject them", about: "A rejection needs a reason. An accepted lesson is in use at once."},

	{id: "export", method: "GET", path: inTreePath + "/export", scope: token.Read, stream: true,
		serve: by((*Server).export), summary: "The memories as one file, for another tree"},
	{id: "import", method: "POST", path: inTreePath + "/import", scope: token.Import, body: maxImport, stream: true,
		serve: by((*Server).imports), changes: true, summary: "Bring memories of another tree",
		about: "They wait in quarantine, and no agent is told of them before they are promoted."},
	{id: "promote", method: "POST", path: inTreePath + "/promote", scope: token.Admin, body: maxWord, changes: true,
		serve: by((*Server).promote), summary: "Let imported memories be used"},

	{id: "expect", method: "POST", path: inTreePath + "/briefs", scope: token.Write, body: maxEvaluations, changes: true,
		serve: by((*Server).expect), summary: "Hand in the tests of a run before it begins",
		about: "Where the service has a model, it reads those that it has not read within a minute, and guidance then " +
			"gives what it picked."},
	{id: "briefs", method: "GET", path: inTreePath + "/briefs", scope: token.Read,
		serve: by((*Server).briefs), summary: "How many coming tests are known and read"},

	{id: "evolve", method: "POST", path: inTreePath + "/evolve", scope: token.Admin, body: maxWord, changes: true,
		serve: by((*Server).evolve), status: http.StatusAccepted,
		summary: "Let the tree learn, as a job", about: "One at a time in a tree: another is 409 meanwhile. Of a tree in a " +
			"database, any of its services may run it, and another one goes on where that is killed."},
	{id: "jobs", method: "GET", path: inTreePath + "/jobs", scope: token.Read,
		serve: by((*Server).jobs), summary: "The latest jobs, the newest first, without their results"},
	{id: "job", method: "GET", path: inTreePath + "/jobs/{id}", scope: token.Read,
		serve: by((*Server).job), summary: "How a job goes on"},
	{id: "jobEvents", method: "GET", path: inTreePath + "/jobs/{id}/events", scope: token.Read, stream: true,
		serve: by((*Server).jobEvents), summary: "How a job goes on, as server-sent events",
		about: "Each event is named progress, the last one end; its data is the job."},
}

// word returns the row of a person's decision on one memory.
func word(id string, serve handler, summary string) route {
	return route{
		id: id, method: "POST", path: inTreePath + "/nodes/{id}/" + id, scope: token.Admin, body: maxWord, changes: true,
		summary: summary, serve: serve,
	}
}

// onFact returns the row of a person's decision on one fact.
func onFact(id, end string, serve handler, summary string) route {
	return route{
		id: id, method: "POST", path: inTreePath + "/facts/{id}/" + end, scope: token.Admin, body: maxWord, changes: true,
		summary: summary, serve: serve,
	}
}

func routeOf(id string) *route {
	for i := range routes {
		if routes[i].id == id {
			return &routes[i]
		}
	}
	return nil
}

// InTree is the part of a request that names the tree. It is embedded in every input of a route in a tree.
type InTree struct {
	Tree string `path:"tree" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" doc:"Name of the tree"`
}

// given is an input with a body.
type given[T any] struct {
	InTree
	Body T
}

// reply is an answer with a body.
type reply[T any] struct{ Body T }

// by serves a route by a handler. An error of the handler becomes a problem.
func by[I, O any](do func(s *Server, ctx context.Context, in *I) (*O, error)) handler {
	of := partsOf(reflect.TypeFor[I]())
	return func(s *Server, r *route) {
		huma.Register(s.api, r.operation(), func(ctx context.Context, in *I) (*O, error) {
			out, err := do(s, ctx, in)
			if err == nil {
				return out, nil
			}
			if same := (*unchanged)(nil); errors.As(err, &same) {
				return nil, same
			}
			if f, ok := errors.AsType[*tree.FieldError](err); ok {
				err = input(of.place(f))
			}
			p := problemOf(err)
			if p != nil && p.absent() {
				p.Detail = absentFrom(r.path)
			}
			if p == nil {
				s.opts.Logger.ErrorContext(ctx, "request failed", "route", r.id, "error", err.Error())
				p = internal()
			}
			return nil, p
		})
	}
}

// ofOne serves a decision on one memory or fact that has no input but a Speaker.
func ofOne(say decider) handler {
	return by(func(_ *Server, ctx context.Context, in *memoryDecision[Speaker]) (*decided, error) {
		return speak(ctx, in.ID, in.Body.options(ctx), say)
	})
}

// operation describes a route for the specification.
func (r *route) operation() huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.summary, Description: r.about,
		DefaultStatus: cmp.Or(r.status, http.StatusOK),
		MaxBodyBytes:  r.body, BodyReadTimeout: readWithin, RejectUnknownQueryParameters: true,
		Extensions: map[string]any{},
	}
	if r.stream {
		op.MaxBodyBytes = -1
	}
	if r.scope != "" {
		op.Security = []map[string][]string{{"token": {}}}
		op.Extensions["x-scope"] = string(r.scope)
	}
	if r.body > 0 {
		op.Extensions["x-max-body-bytes"] = r.body
	}
	return op
}

// allow is a further check inside a handler: whether the caller has the scope need.
func allow(ctx context.Context, need token.Permission) error {
	if c := callerOf(ctx); c.may(need) {
		return nil
	}
	return lacksScope(need)
}

func lacksScope(need token.Permission) *problem {
	scope := string(need)
	if need != token.Admin {
		scope += " or admin"
	}
	return newProblem(http.StatusForbidden, typeScope, "This token may not do that; it takes one with the scope "+
		scope+" (memtree token add --scope "+string(need)+").")
}
