package langchain

import (
	"encoding/json"
	"strings"

	"github.com/memtree/memtree/llm"
)

// parameters is a set of request parameters that a model does not accept, a bit each. Newer models
// refuse a temperature, or want the limit of tokens under its other name, and some servers know no
// tool_choice.
type parameters int32

// encodingFormat is the parameter that asks for vectors as base64.
const encodingFormat = "encoding_format"

// optional are the parameters without which a request can do.
var optional = []string{"temperature", "max_tokens", "max_completion_tokens", "tool_choice", encodingFormat}

// lacksEncoding is the set of encodingFormat alone.
const lacksEncoding parameters = 1 << 4

// refused returns lacks with one more parameter: the first that the request has and the provider's
// words name. It returns lacks itself if they name none.
func (lacks parameters) refused(body []byte, e *llm.Error) parameters {
	var fields map[string]json.RawMessage
	if e.Err == nil || json.Unmarshal(body, &fields) != nil {
		return lacks
	}
	said := strings.ToLower(e.Err.Error())
	for i, name := range optional {
		if _, sent := fields[name]; sent && strings.Contains(said, name) {
			return lacks | 1<<i
		}
	}
	return lacks
}

// removeFrom removes the parameters from a request. A limit of tokens goes under its other name,
// unless that was refused too.
func (lacks parameters) removeFrom(fields map[string]json.RawMessage) {
	for i, name := range optional {
		value, sent := fields[name]
		if !sent || lacks&(1<<i) == 0 {
			continue
		}
		delete(fields, name)
		other := map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[name]
		for k, o := range optional {
			if o == other && lacks&(1<<k) == 0 {
				fields[other] = value
			}
		}
	}
}
