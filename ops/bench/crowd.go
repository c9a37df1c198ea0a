package bench

import (
	_ "embed" // for the data files
	"encoding/json"
	"errors"
	"fmt"
)

//go:embed testdata/useragents.json
var userAgents []byte

//go:embed testdata/addresses.json
var addresses []byte

// Agent is a user agent as it is met in the field, and what is known of it.
type Agent struct {
	UserAgent string `json:"user_agent"`
	Device    string `json:"device_type"`
	OS        string `json:"os"`
	Browser   string `json:"browser"`
	Bot       string `json:"bot"` // which kind of bot it declares itself to be; empty: people use it
}

// Address is a public address and the country it is in.
type Address struct {
	IP      string `json:"address"`
	Country string `json:"country"`
}

// Crowd is everybody who may visit.
type Crowd struct {
	People, Bots []Agent
	Addresses    []Address
}

const (
	minAgents    = 200
	minCountries = 20
)

// LoadCrowd reads the data files: at least 200 user agents and addresses of at least 20 countries.
func LoadCrowd() (Crowd, error) {
	var c Crowd
	var agents []Agent
	if err := json.Unmarshal(userAgents, &agents); err != nil {
		return c, fmt.Errorf("bench: user agents: %w", err)
	}
	if err := json.Unmarshal(addresses, &c.Addresses); err != nil {
		return c, fmt.Errorf("bench: addresses: %w", err)
	}
	for _, a := range agents {
		if a.Bot == "" {
			c.People = append(c.People, a)
		} else {
			c.Bots = append(c.Bots, a)
		}
	}
	countries := map[string]bool{}
	for _, a := range c.Addresses {
		countries[a.Country] = true
	}
	if len(agents) < minAgents || len(countries) < minCountries || len(c.People) == 0 || len(c.Bots) == 0 {
		return c, errors.New("bench: the data files are too small")
	}
	return c, nil
}
