// Package visitors is a set of made-up visitors for traffic that has to look real: user agents as they are met in the
// field, programs among them, and public addresses of many countries, each with what is known about it.
package visitors

import (
	_ "embed" // for the data files
	"encoding/json"
	"errors"
	"fmt"
)

//go:embed useragents.json
var userAgents []byte

//go:embed addresses.json
var addresses []byte

// Agent is a user agent and what is known of it.
type Agent struct {
	UserAgent string `json:"user_agent"`
	Device    string `json:"device_type"`
	OS        string `json:"os"`
	Browser   string `json:"browser"`
	Bot       string `json:"bot"` // the kind of bot that it declares itself to be; empty: people use it
}

// Address is a public address and the country it is in.
type Address struct {
	IP      string `json:"address"`
	Country string `json:"country"`
}

// Set is everybody who may visit.
type Set struct {
	People, Bots []Agent
	Addresses    []Address
}

const (
	minAgents    = 200
	minCountries = 20
)

// Load reads the built-in set: at least 200 user agents, and addresses of at least 20 countries.
func Load() (Set, error) {
	var s Set
	var agents []Agent
	if err := json.Unmarshal(userAgents, &agents); err != nil {
		return s, fmt.Errorf("visitors: user agents: %w", err)
	}
	if err := json.Unmarshal(addresses, &s.Addresses); err != nil {
		return s, fmt.Errorf("visitors: addresses: %w", err)
	}
	for _, a := range agents {
		if a.Bot == "" {
			s.People = append(s.People, a)
		} else {
			s.Bots = append(s.Bots, a)
		}
	}
	countries := map[string]bool{}
	for _, a := range s.Addresses {
		countries[a.Country] = true
	}
	if len(agents) < minAgents || len(countries) < minCountries || len(s.People) == 0 || len(s.Bots) == 0 {
		return s, errors.New("visitors: the data files are too small")
	}
	return s, nil
}
