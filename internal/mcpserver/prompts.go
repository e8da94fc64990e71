package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/tree"
)

// maxArgument is the maximum length of an argument of a prompt, in characters.
const maxArgument = 100_000

func (s *server) addPrompts(x *mcp.Server) {
	task := &mcp.PromptArgument{Name: "task", Required: true, Title: s.say("Task", "任务"),
		Description: s.say("what is to be tested, in full", "要测试的内容，完整写出")}
	route := &mcp.PromptArgument{Name: "route", Title: s.say("Route", "路径"),
		Description: s.say("path of the page, such as /orders/42", "页面路径，例如 /orders/42")}
	product := &mcp.PromptArgument{Name: "product", Title: s.say("Product", "产品"),
		Description: s.say("product under test", "被测产品")}
	test := &mcp.PromptArgument{Name: "test", Title: s.say("Test", "测试"),
		Description: s.say("id of the test case", "测试用例的编号")}
	s.addPrompt(x, &mcp.Prompt{
		Name: "before_testing", Title: s.say("Before a test: what to check", "测试之前：要检查什么"),
		Description: s.say("The task of a test, with what memory has to check in tests like it.",
			"测试任务，并附上记忆提示：类似测试中要检查什么。"),
		Arguments: []*mcp.PromptArgument{task, route, product, test},
	}, s.beforeTesting)
	if !s.may(Write) {
		return
	}
	trial := &mcp.PromptArgument{Name: "trial", Title: s.say("Trial", "试验编号"),
		Description: s.say("the trial id of get_guidance, if there is one", "get_guidance 给出的 trial 编号（如果有）")}
	s.addPrompt(x, &mcp.Prompt{
		Name: "after_testing", Title: s.say("After a test: record it", "测试之后：记录结果"),
		Description: s.say("How to record the outcome of a test, and a judgment that was wrong.",
			"怎样记录测试结果，以及错误的判断。"),
		Arguments: []*mcp.PromptArgument{trial},
	}, s.afterTesting)
}

// addPrompt adds a prompt. It refuses an unknown, a too long or a missing argument.
func (s *server) addPrompt(
	x *mcp.Server, p *mcp.Prompt, say func(context.Context, toolCall, map[string]string) (string, error),
) {
	x.AddPrompt(p, func(ctx context.Context, req *mcp.GetPromptRequest) (_ *mcp.GetPromptResult, err error) {
		defer s.recovered(p.Name, &err)
		given := req.Params.Arguments
		names := make([]string, len(p.Arguments))
		for i, a := range p.Arguments {
			names[i] = a.Name
			if a.Required && strings.TrimSpace(given[a.Name]) == "" {
				return nil, s.wireError(&tree.FieldError{Field: a.Name, Problem: "is missing; say " + a.Description})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(names, name) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(
					"there is no argument %.40q; the arguments are %s", name, strings.Join(names, ", "))}
			}
			if n := utf8.RuneCountInString(given[name]); n > maxArgument {
				return nil, s.wireError(&tree.FieldError{Field: name,
					Problem: fmt.Sprintf("has %d characters; the most is %d", n, maxArgument)})
			}
		}
		var c toolCall
		if req.Session != nil && req.Session.InitializeParams() != nil && req.Session.InitializeParams().ClientInfo != nil {
			c.client = req.Session.InitializeParams().ClientInfo.Name
		}
		said, err := say(ctx, c, given)
		if err != nil {
			return nil, s.wireError(err)
		}
		return &mcp.GetPromptResult{Description: p.Description, Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: said}},
		}}, nil
	})
}

func (s *server) beforeTesting(ctx context.Context, c toolCall, in map[string]string) (string, error) {
	out, err := s.getGuidance(ctx, c, guidanceIn{Prompt: in["task"], Scene: scene{Route: in["route"]},
		Scope: scope{Product: in["product"], Test: in["test"]}})
	if err != nil {
		return "", err
	}
	said := in["task"]
	if out.Guidance != "" {
		said += "\n\n" + out.Guidance
	}
	if out.Trial == "" {
		return said, nil
	}
	return said + "\n\n" + fmt.Sprintf(s.say("When you have judged, call record_outcome with the task as it is "+
		"above the "+
		"block, your judgment, and trial %s.", "得出判断之后，请调用 record_outcome：任务按上文原样（不含提示块），附上你的判断和 trial %s。"),
		out.Trial), nil
}

func (s *server) afterTesting(_ context.Context, _ toolCall, in map[string]string) (string, error) {
	trial := s.say("the trial id that get_guidance gave, if you asked it", "get_guidance 给出的 trial（如果调用过）")
	if t := plain(in["trial"]); t != "" {
		trial = "trial " + t
	}
	return fmt.Sprintf(s.say(
		"Record the test you have just judged:\n"+
			"1. Call record_outcome with prompt (the task, without guidance), judgment (what you judged, with the reason) and "+
			"%s. Add scene and scope as you know them.\n"+
			"2. Send ground_truth or correct only if somebody or something other than you established the truth. Do not guess "+
			"it: a wrong truth teaches memory something wrong.\n"+
			"3. If the judgment turned out wrong, call record_case instead, with what was true and a note on what was not "+
			"checked, naming the control or field. Read in the answer what memory understood.",
		"请记录刚才判断的测试：\n"+
			"1. 调用 record_outcome：prompt（任务，不含提示块）、judgment（你的判断和理由），以及%s。知道的话附上 scene 和 scope。\n"+
			"2. 只有当真值由你以外的人或手段确认时，才附上 ground_truth 或 correct。不要猜：错误的真值会教坏记忆。\n"+
			"3. 如果判断被证实是错的，请改用 record_case：写明真实情况，并用 note 说明漏查了什么（指出控件或字段）。看一看回答中记忆理解了什么。"), trial), nil
}
