package llm

// Find returns the first of a chain of models that is a T. What stands in front of another model has a method Unwrap
// that returns it.
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

// NameOf returns the name of a model, "" if it does not say.
func NameOf(model any) string {
	if m, ok := Find[interface{ ID() string }](model); ok {
		return m.ID()
	}
	return ""
}

// Plays reports whether recordings answer in place of a model: then nobody is asked, and nothing is spent.
func Plays(model any) bool {
	m, ok := Find[interface{ Plays() bool }](model)
	return ok && m.Plays()
}

// Adapter is a model that adapts its requests to what the provider refuses, and tells another process how.
type Adapter interface {
	// Habits returns what was learned, in a form for Adopt; "" if there is nothing.
	Habits() string
	// Adopt takes what an earlier process learned about the same model at the same address. Anything else is ignored.
	Adopt(habits string)
}
