package llm

// Find returns the first T in a chain of models. A model that wraps another has a method Unwrap that returns it.
func Find[T any](model any) (found T, ok bool) {
	for model != nil {
		if found, ok = model.(T); ok {
			return found, true
		}
		outer, wraps := model.(interface{ Unwrap() any })
		if !wraps {
			break
		}
		model = outer.Unwrap()
	}
	return found, false
}

// NameOf returns the name of a model, "" if it has none.
func NameOf(model any) string {
	if m, ok := Find[interface{ ID() string }](model); ok {
		return m.ID()
	}
	return ""
}

// Plays reports whether a model only replays recordings: no provider is called, and there is no cost.
func Plays(model any) bool {
	m, ok := Find[interface{ Plays() bool }](model)
	return ok && m.Plays()
}

// Adapter is a model that adapts its requests to what the provider rejects, and can pass that on to another process.
type Adapter interface {
	// Habits returns the adaptations, in a form for Adopt; "" if there are none.
	Habits() string
	// Adopt applies the habits of an earlier process for the same model at the same address. It ignores anything else.
	Adopt(habits string)
}
