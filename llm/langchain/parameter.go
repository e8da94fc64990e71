package langchain

import (
	"encoding/json"
	"strings"

	"github.com/memtree/memtree/llm"
)

// parameters is a set of request parameters that a model rejects, one bit each. Newer models reject a temperature, or
// require another name for the token limit, and some servers do not know tool_choice.
type parameters int32

// encodingFormat is the parameter that requests vectors as base64.
const encodingFormat = "encoding_format"

// optional are the parameters that a request may omit.
var optional = []string{"temperature", "max_tokens", "max_completion_tokens", "tool_choice", encodingFormat}

// lacksEncoding is the set of encodingFormat alone.
const lacksEncoding parameters = 1 << 4

// refused returns lacks plus one parameter: the first in the request that the provider's message names. It returns
// lacks itself if the message names none.
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

// removeFrom removes the parameters from a request. A token limit moves to its other name, unless that was rejected
// too.
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
