package copilot

// Kinds returns the names of all kinds.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Samples makes samples available to tests.
var Samples = samples

// Between returns the probability that the first of two gamma distributions is larger, and a quantile of their difference.
func Between(shape, rate, otherShape, otherRate, q float64) (best, quantile float64) {
	a, b := posterior{shape, rate}, posterior{otherShape, otherRate}
	return probabilityBest([]posterior{a, b})[0], difference(a, b, q)
}
