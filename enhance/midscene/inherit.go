package midscene

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// targets are the sections that name the web page on which a script begins.
var targets = []string{"page", "browser", "web", "target"}

// inherit records which context Midscene uses for steps without one: that of agent.aiContexts under the name of the
// call, for aiAct also the older aiActContext, of the agent or of the target, else agent.aiContexts.default.
func (v *scriptSurvey) inherit() {
	v.inherited = map[string]string{}
	agent := field(v.root, "agent")
	contexts := field(agent, "aiContexts")
	if text, ok := v.anchors.text(field(contexts, "default")); ok {
		for _, a := range apis {
			v.inherited[a.api] = text
		}
	}
	for _, n := range v.actContexts(agent) { // in ascending order of precedence
		if text, ok := v.anchors.text(n); ok {
			v.inherited["aiAct"] = text
		}
	}
	for _, a := range apis {
		if text, ok := v.anchors.text(field(contexts, a.api)); ok {
			v.inherited[a.api] = text
		}
	}
}

// actContexts returns the positions of the context of aiAct in older scripts, in ascending order of precedence. For a
// web page Midscene uses aiActionContext only.
func (v *scriptSurvey) actContexts(agent ast.Node) []ast.Node {
	var out []ast.Node
	for _, target := range targets {
		out = append(out, field(field(v.root, target), "aiActionContext"))
	}
	for _, target := range []string{"android", "ios", "harmony", "computer"} {
		of := field(v.root, target)
		out = append(out, field(of, "aiActionContext"), field(of, "aiActContext"))
	}
	return append(out, field(agent, "aiActionContext"), field(agent, "aiActContext"))
}

// begin records the route of the page that a script begins on.
func (v *scriptSurvey) begin() {
	for _, target := range targets {
		of := field(v.root, target)
		text, ok := v.anchors.text(field(of, "url"))
		if !ok {
			continue
		}
		u, err := url.Parse(text)
		if err != nil || strings.Contains(text, "${") || u.Scheme == "" && field(of, "serve") == nil {
			return
		}
		if v.route = u.EscapedPath(); !strings.HasPrefix(v.route, "/") {
			v.route = "/" + v.route
		}
		return
	}
}

// promptOf returns the prompt of a value, as the clients of a service query it: a text, the prompt of one with images,
// or the JSON of the requested fields. It is false for any other value.
func (v *scriptSurvey) promptOf(n ast.Node) (string, bool) {
	if text, ok := v.anchors.text(n); ok {
		return text, true
	}
	fields, _, ok := pairs(n)
	if !ok {
		return "", false
	}
	if text, ok := v.anchors.text(field(n, "prompt")); ok {
		return text, true
	}
	var b strings.Builder
	for i, f := range fields {
		text, ok := v.anchors.text(f.value)
		if !ok {
			return "", false
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(f.key) + ":" + quoted(text))
	}
	return "{" + b.String() + "}", true
}

// quoted encodes a text like JSON in a browser.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // encoding a text never fails
	return strings.TrimSuffix(b.String(), "\n")
}
