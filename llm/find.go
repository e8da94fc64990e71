package llm

// Find returns model, or the first model that it wraps, that has the type T, and whether there is one. A model that
// wraps another has a method Unwrap that returns the other as any.
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

// NameOf returns the ID of model, or of the first model that it wraps that has one; "" if none has.
func NameOf(model any) string {
	if m, ok := Find[interface{ ID() string }](model); ok {
		return m.ID()
	}
	return ""
}

// Plays reports whether model only replays recorded answers, so that it calls no provider and costs nothing.
func Plays(model any) bool {
	m, ok := Find[interface{ Plays() bool }](model)
	return ok && m.Plays()
}

// Adapter is a model that changes the form of its requests when the provider rejects it, and can pass on what it found
// to another process.
type Adapter interface {
	// Habits returns the changes found so far, in a form for Adopt; "" if there are none.
	Habits() string
	// Adopt applies what Habits returned in an earlier process for the same model at the same address. It ignores anything
	// else.
	Adopt(habits string)
}
