package server

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/internal/mcpserver"
	"github.com/memtree/memtree/internal/token"
)

// maxMCP is the maximum size of one message of MCP, in bytes.
const maxMCP = 2 * mcpserver.MaxArguments

// callerHeader passes the caller to the tools. A value that a client sends under this name is overwritten.
const callerHeader = "Memtree-Caller"

// agentsOf is the key of a cached MCP server: making one takes two milliseconds.
type agentsOf struct {
	tree *treeOf
	lang string
	may  mcpserver.May
}

// agents serves MCP over streamable HTTP, without sessions: every message is independent, so there is nothing to
// bound, to end or to lose at a restart. The guard has checked host, origin, token and tree before.
func (s *Server) agents() {
	s.plain("mcp", "application/json", onlyMessages(mcp.NewStreamableHTTPHandler(s.agentServer, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMCP,
		DisableLocalhostProtection: true, // the guard checks the names of the service
	})))
	message := &huma.Schema{Type: huma.TypeObject, Description: "A message of JSON-RPC 2.0"}
	s.describeBody("mcp", "application/json", message)
	op := s.api.OpenAPI().Paths[routeOf("mcp").path].Post
	op.Responses["200"].Content["application/json"].Schema = message
	op.Responses["202"] = &huma.Response{Description: "A message that asks for no answer was taken"}
	op.Responses["400"] = &huma.Response{Description: "An error of JSON-RPC: this is no message",
		Content: map[string]*huma.MediaType{"application/json": {Schema: message}}}
	// The SDK reports other problems as plain text.
	op.Responses["default"].Content["text/plain"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
}

// onlyMessages answers a body that is no message of JSON-RPC with an error of JSON-RPC. It leaves a body that is too
// long, or breaks off, to next.
func onlyMessages(next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		b, err := io.ReadAll(io.LimitReader(q.Body, maxMCP+1))
		if refusal := mcpserver.Refusal(b); refusal != nil && err == nil && len(b) <= maxMCP {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(refusal)
			return
		}
		q.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(b), q.Body), q.Body}
		next.ServeHTTP(w, q)
	}
}

// agentServer returns the server for a request, with the tools that its token may use.
func (s *Server) agentServer(q *http.Request) *mcp.Server {
	c := callerOf(q.Context())
	of := agentsOf{tree: c.tree, lang: "en"}
	if q.URL.Query().Get("lang") == "zh" {
		of.lang = "zh"
	}
	if c.may(token.Write) && c.tree.writable() == nil {
		of.may = mcpserver.Write | mcpserver.Propose
		if c.may(token.Admin) {
			of.may |= mcpserver.Correct
		}
	}
	q.Header.Set(callerHeader, c.name())
	s.toAgents.Lock()
	defer s.toAgents.Unlock()
	x := s.mcp[of]
	if x == nil {
		x = mcpserver.New(c.tree.Memory, &mcpserver.Options{May: of.may, Lang: of.lang, Version: s.opts.Version,
			Logger: s.opts.Logger})
		x.AddReceivingMiddleware(s.auditTools(of.tree.name))
		s.mcp[of] = x
	}
	return x
}

// changing are the tools that change a tree.
var changing = map[string]bool{
	"record_outcome": true, "record_case": true, "propose_memory": true, "remember": true, "correct_case": true,
	"submit_brief": true, "write_lessons": true,
}

// auditTools writes a line to the audit log for every call of a tool that changes a tree.
func (s *Server) auditTools(tree string) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && changing[p.Name] {
				by := ""
				if x := req.GetExtra(); x != nil {
					by = x.Header.Get(callerHeader)
				}
				out, _ := res.(*mcp.CallToolResult)
				s.opts.Audit.InfoContext(ctx, "change", "token", by, "route", "mcp", "tool", p.Name, "tree", tree,
					"done", err == nil && out != nil && !out.IsError)
			}
			return res, err
		}
	}
}
