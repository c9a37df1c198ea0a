package main

import (
	"maps"
	"testing"
)

// TestCountryPaths checks the paths of countries: a tiny country is a diamond, and a country across the date line stays in one
// piece.
func TestCountryPaths(t *testing.T) {
	t.Parallel()
	const text = `{"transform": {"scale": [1, 1], "translate": [0, 0]},
"arcs": [[[0, 0], [0, 10]], [[0, 10], [10, 0], [0, -10], [-10, 0]], [[0, 0], [-10, 0], [0, 10], [10, 0]], [[100, 0], [0.1, 0], [0, 0.1]],
	[[170, 0], [10, 0], [-360, 0], [10, 0], [0, 10], [340, 0], [0, -10]]],
"objects": {"countries": {"geometries": [
	{"type": "Polygon", "id": "276", "arcs": [[0, 1]], "properties": {"name": "Germany"}},
	{"type": "MultiPolygon", "id": "250", "arcs": [[[2, -1]]], "properties": {"name": "France"}},
	{"type": "Polygon", "id": "470", "arcs": [[3]], "properties": {"name": "Malta"}},
	{"type": "Polygon", "id": "643", "arcs": [[4]], "properties": {"name": "Russia"}},
	{"type": "Polygon", "arcs": [[0, 1]], "properties": {"name": "Kosovo"}},
	{"type": "Polygon", "arcs": [[0, 1]], "properties": {"name": "Somaliland"}},
	{"type": "Polygon", "id": "010", "arcs": [[0, 1]], "properties": {"name": "Antarctica"}}
]}}}`
	got, err := countryPaths([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	square := "M380 194l0-24 21 0 0 24z"
	want := map[string]string{
		"DE": square, "FR": "M380 194l-21 0 0-24 21 0z", "MT": "M591 192" + diamond, "XK": square, "": square,
		"RU": "M739 194l42 0-2-24-42 0z",
	}
	if !maps.Equal(got, want) {
		t.Errorf("the paths are %v, want %v", got, want)
	}
}
