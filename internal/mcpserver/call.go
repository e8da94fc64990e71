package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxArguments is the most bytes that the arguments of one call may have.
const MaxArguments = 4 << 20

// toolCall is one call of a tool.
type toolCall struct {
	client string // name of the calling program, as it reports it; "" for none
}

// texter is an answer with its own text form for agents. Other answers are sent as JSON.
type texter interface{ text() string }

// add adds a tool. The schemas follow from the types In and Out. Every failure is an answer with IsError and a
// sentence; none ends the session.
func add[In, Out any](
	s *server, x *mcp.Server, t *mcp.Tool, do func(context.Context, toolCall, In) (Out, error),
) {
	t.Title = inLang(s.o.Lang, t.Annotations.Title, chineseTitles[t.Name])
	t.Annotations.Title, t.Annotations.OpenWorldHint = t.Title, new(false)
	schema := schemaOf[In]()
	t.InputSchema, t.OutputSchema = writtenSchema[In](), writtenSchema[Out]()
	x.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (res *mcp.CallToolResult, _ error) {
		defer func() {
			if p := recover(); p != nil {
				s.o.Logger.Error("a tool failed", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
				res = failed(errors.New("memtree made a mistake in this call, nothing was changed by it; go on without memory, " +
					"and tell the people who run memtree"))
			}
		}()
		var in In
		if err := decode(schema, req.Params.Arguments, &in); err != nil {
			return failed(err), nil
		}
		out, err := do(ctx, callOf(req), in)
		if err != nil {
			s.o.Logger.Info("a call was refused", "tool", t.Name, "error", err)
			return failed(s.sentence(err)), nil
		}
		return answer(out)
	})
}

// callOf returns the caller of a request.
func callOf(req *mcp.CallToolRequest) toolCall {
	if req.Session == nil {
		return toolCall{}
	}
	p := req.Session.InitializeParams()
	if p == nil || p.ClientInfo == nil {
		return toolCall{}
	}
	return toolCall{client: p.ClientInfo.Name}
}

// decode reads the arguments of a call into a value of the schema's type.
func decode(schema *jsonschema.Schema, arguments json.RawMessage, to any) error {
	if len(arguments) > MaxArguments {
		return fmt.Errorf("the arguments have %d bytes; the most is %d: shorten the longest "+
			"text", len(arguments), MaxArguments)
	}
	if len(arguments) == 0 || kindOf(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if err := unicodeOnly(arguments); err != nil {
		return err
	}
	if why := problem(schema, arguments, ""); why != "" {
		return errors.New(why)
	}
	if err := json.Unmarshal(arguments, to); err != nil {
		return fmt.Errorf("the arguments cannot be read (%w); send a JSON object as the tool's schema says", err)
	}
	return nil
}

// unicodeOnly refuses JSON with text that is not Unicode: the decoder would put U+FFFD in its place without a notice.
func unicodeOnly(b []byte) error {
	if !utf8.Valid(b) {
		return errors.New("the arguments are not valid UTF-8; send every text as UTF-8")
	}
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			return nil
		}
		b = b[i:]
		u, ok := utf16Of(b)
		if !ok {
			b = b[2:] // an escape of one character
			continue
		}
		b = b[6:]
		if !utf16.IsSurrogate(u) {
			continue
		}
		low, _ := utf16Of(b)
		if utf16.DecodeRune(u, low) == utf8.RuneError {
			return fmt.Errorf("the arguments have half of a surrogate pair (\\u%04x) in them; write the whole character or "+
				"remove it", u)
		}
		b = b[6:]
	}
}

// utf16Of returns the code unit that b begins with as \uXXXX.
func utf16Of(b []byte) (rune, bool) {
	if len(b) < 6 || b[1] != 'u' || b[0] != '\\' {
		return 0, false
	}
	u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(u), err == nil
}

// answer returns the result of a successful call: the value as structured content, and as text for clients that show
// only text.
func answer(out any) (*mcp.CallToolResult, error) {
	b, err := marshal(out)
	if err != nil {
		return nil, err
	}
	said := string(b)
	if t, ok := out.(texter); ok {
		said = t.text()
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}, StructuredContent: b}, nil
}

// failed returns the result of a failed call.
func failed(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

// schemas holds the schema of every type used so far, and its JSON. Neither is changed after that.
var schemas sync.Map

type madeSchema struct {
	schema *jsonschema.Schema
	json   json.RawMessage
}

// schemaOf returns the JSON schema of a type, with the limits that the tags limit and enum of
// its fields name.
func schemaOf[T any]() *jsonschema.Schema { return schemaMade[T]().schema }

// writtenSchema returns the same as JSON, so that it is not encoded again for every server.
func writtenSchema[T any]() json.RawMessage { return schemaMade[T]().json }

func schemaMade[T any]() madeSchema {
	of := reflect.TypeFor[T]()
	if known, ok := schemas.Load(of); ok {
		return known.(madeSchema)
	}
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
	}})
	if err != nil {
		panic(fmt.Sprintf("the schema of %s: %v", of, err)) // the types are parts of the program
	}
	limit(s, of)
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("the schema of %s: %v", of, err)) // as above
	}
	made := madeSchema{s, b}
	schemas.Store(of, made)
	return made
}
