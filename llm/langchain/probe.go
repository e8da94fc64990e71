package langchain

import "strings"

// EnvNames holds the names of the environment variables from which FromEnv reads a model, for error messages.
type EnvNames struct{ Model, BaseURL, APIKey string }

// NamesOf returns the names of the environment variables that FromEnv uses with this getenv. If no model is configured,
// ok is false and the names are those of MEMTREE_LLM_*.
func NamesOf(getenv func(string) string) (names EnvNames, ok bool) {
	g, ok := pickGroup(func(name string) string { return strings.TrimSpace(getenv(name)) })
	return EnvNames{Model: g.model, BaseURL: g.baseURL, APIKey: g.apiKey}, ok
}

// Address returns the base URL of requests: BaseURL, or the default of the provider. It is "" if BaseURL is invalid.
func (c ModelConfig) Address() string {
	u, err := c.base()
	if err != nil {
		return ""
	}
	return u.String()
}

// Ways to request an object that fits a schema, as Form returns them, strictest first.
const (
	BySchema = "schema" // the server enforces the schema
	ByTool   = "tool"   // the object is the input of a tool that the model has to call
	byJSON   = "json"   // the server enforces JSON
	byPrompt = "prompt" // only the prompt requests it
)

// Form returns how m requests an object now: the strictest way that the provider has not rejected so far, such as
// BySchema.
func (m *ChatModel) Form() string {
	switch form := int(m.http.form.Load()); {
	case form == formSchema && m.config.Provider == Anthropic:
		return ByTool
	case form == formSchema:
		return BySchema
	case form == formObject && m.config.Provider != Anthropic:
		return byJSON
	}
	return byPrompt
}
