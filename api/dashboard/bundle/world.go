package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/text/language"
)

const (
	mapWidth = 760
	mapNorth = 194 // y of the equator
	// leastArea is the area of the smallest polygon that is drawn. A country whose polygons are all smaller becomes a diamond.
	leastArea = 1.5
	diamond   = "l2 2-2 2-2-2z"
)

// worldMap returns the plug-in that makes the shapes of countries small enough for the dashboard. It replaces the topology of the
// package world-atlas by an SVG path for each country code.
func worldMap() api.Plugin {
	return api.Plugin{Name: "world map", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `world-atlas/countries-50m\.json$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			text, err := os.ReadFile(args.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			paths, err := countryPaths(text)
			if err != nil {
				return api.OnLoadResult{}, fmt.Errorf("%s: %w", args.Path, err)
			}
			out, err := json.Marshal(paths)
			contents := string(out)
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJSON}, err
		})
	}}
}

// topology is the part of a TopoJSON file that the map needs.
type topology struct {
	Transform struct{ Scale, Translate [2]float64 }
	Arcs      [][][2]float64
	Objects   struct {
		Countries struct {
			Geometries []struct {
				Type       string
				ID         string
				Arcs       json.RawMessage
				Properties struct{ Name string }
			}
		}
	}
}

// position is a place on the globe, and point is a place on the map.
type (
	position struct{ longitude, latitude float64 }
	point    struct{ x, y int }
)

const antarctica = "010"

func countryPaths(text []byte) (map[string]string, error) {
	var t topology
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, err
	}
	arcs := make([][]position, len(t.Arcs))
	for i, arc := range t.Arcs {
		var x, y float64
		for _, step := range arc { // a position is stored as the difference from the previous position
			x, y = x+step[0], y+step[1]
			arcs[i] = append(arcs[i], position{
				x*t.Transform.Scale[0] + t.Transform.Translate[0], y*t.Transform.Scale[1] + t.Transform.Translate[1],
			})
		}
	}
	paths := map[string]string{}
	for _, g := range t.Objects.Countries.Geometries {
		if g.ID == antarctica {
			continue
		}
		var polygons [][][]int
		var err error
		if g.Type == "Polygon" {
			polygons = make([][][]int, 1)
			err = json.Unmarshal(g.Arcs, &polygons[0])
		} else {
			err = json.Unmarshal(g.Arcs, &polygons)
		}
		if err != nil {
			return nil, err
		}
		var rings [][]point
		for _, polygon := range polygons {
			for _, ring := range polygon {
				rings = append(rings, ringOf(ring, arcs))
			}
		}
		paths[codeOf(g.ID, g.Properties.Name)] += pathOf(rings)
	}
	return paths, nil
}

func add(line []point, p point) []point {
	for n := len(line); n > 1; n = len(line) {
		a, b := line[n-2], line[n-1]
		if (b.x-a.x)*(p.y-b.y) != (b.y-a.y)*(p.x-b.x) {
			break
		}
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == p {
		return line
	}
	return append(line, p)
}

// codeOf returns the two-letter code of a country by its ISO number, or an empty text if no code is known.
func codeOf(number, name string) string {
	n, err := strconv.Atoi(number)
	if region, unknown := language.EncodeM49(n); err == nil && unknown == nil && len(region.String()) == 2 {
		return region.String()
	}
	if name == "Kosovo" { // Kosovo has no number
		return "XK"
	}
	return ""
}

// projected returns the place of a position on the map, by the projection Natural Earth of Tom Patterson.
func projected(longitude, latitude float64) point {
	l, p := longitude*math.Pi/180, latitude*math.Pi/180
	p2 := p * p
	p4 := p2 * p2
	const wide = 0.8707
	x := l * (wide - 0.131979*p2 + p4*(-0.013791+p4*(0.003971*p2-0.001529*p4)))
	y := p * (1.007226 + p2*(0.015085+p4*(-0.044475+0.028874*p2-0.005916*p4)))
	const scale = mapWidth / (2 * math.Pi * wide)
	return point{int(math.Round(x*scale + mapWidth/2)), int(math.Round(mapNorth - y*scale))}
}

// ringOf joins arcs into a ring on the map. A negative index i in the list is the arc ^i in the other direction. A ring that crosses
// the date line continues beyond it, so that it does not cross the whole map.
func ringOf(list []int, arcs [][]position) (ring []point) {
	var whole []position
	for _, i := range list {
		arc := arcs[max(i, ^i)]
		if i < 0 {
			arc = slices.Clone(arc)
			slices.Reverse(arc)
		}
		whole = append(whole, arc...)
	}
	sum := 0.0
	for i := range whole {
		if i > 0 {
			whole[i].longitude += 360 * math.Round((whole[i-1].longitude-whole[i].longitude)/360)
		}
		sum += whole[i].longitude
	}
	turn := 360 * math.Round(sum/float64(len(whole))/360)
	for _, p := range whole {
		ring = add(ring, projected(p.longitude-turn, p.latitude))
	}
	if n := len(ring); n > 1 && ring[0] == ring[n-1] {
		ring = ring[:n-1]
	}
	return ring
}

func area(ring []point) float64 {
	sum := 0
	for i, p := range ring {
		next := ring[(i+1)%len(ring)]
		sum += p.x*next.y - next.x*p.y
	}
	return math.Abs(float64(sum)) / 2
}

// pathOf returns the SVG path of a country's rings, in relative steps.
func pathOf(rings [][]point) string {
	var s strings.Builder
	for _, ring := range rings {
		if area(ring) < leastArea {
			continue
		}
		fmt.Fprintf(&s, "M%d %dl", ring[0].x, ring[0].y)
		for i, p := range ring[1:] {
			if dx := p.x - ring[i].x; i > 0 && dx >= 0 {
				fmt.Fprintf(&s, " %d", dx)
			} else {
				fmt.Fprintf(&s, "%d", dx)
			}
			if dy := p.y - ring[i].y; dy >= 0 {
				fmt.Fprintf(&s, " %d", dy)
			} else {
				fmt.Fprintf(&s, "%d", dy)
			}
		}
		s.WriteByte('z')
	}
	if s.Len() == 0 && len(rings) > 0 {
		fmt.Fprintf(&s, "M%d %d%s", rings[0][0].x, rings[0][0].y-2, diamond)
	}
	return s.String()
}
