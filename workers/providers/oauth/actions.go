package oauth

import (
	"context"
	"slices"
	"time"

	"switchyard/models"
)

// Action is the target of uploaded conversions: a conversion action at Google, an offline goal at Microsoft.
type Action struct {
	ID       string
	Name     string
	Category string // the platform's own word
	Status   string // the platform's own word, in lower case
	// Resource is Google's name of the action, with the customer that owns it; empty at Microsoft.
	Resource string
	// ReadyAt is the time from which the platform accepts uploads for a newly created action; nil: no wait is known.
	ReadyAt *time.Time
}

// Advertiser is an ad account that requests are made for.
type Advertiser struct {
	Provider    string
	Credentials map[string]string // of a traffic source's integration
	Currency    string            // the currency of new actions
}

// actions describes how to list and create the actions of a platform.
type actions struct {
	list   func(ctx context.Context, s *session, a Advertiser) ([]Action, error)
	create func(ctx context.Context, s *session, a Advertiser, name string) (Action, error)
	// wait is how long the platform accepts no uploads for a new action.
	wait time.Duration
}

var actionsOf = map[string]actions{
	models.GoogleAds:    {list: googleActions, create: googleCreate},
	models.MicrosoftAds: {list: microsoftGoals, create: microsoftCreate, wait: 2 * time.Hour},
}

// maxActions is the maximum number of actions that are listed.
const maxActions = 1000

// ReadyBy returns the time by which the platform accepts uploads for an action created now; nil: no wait is known.
func (c *Client) ReadyBy(provider string) *time.Time {
	wait := actionsOf[provider].wait
	if wait == 0 {
		return nil
	}
	at := c.o.Now().Add(wait)
	return &at
}

// Actions lists the actions of an ad account that accept uploads. It has the same errors as Accounts.
func (c *Client) Actions(ctx context.Context, a Advertiser, token string) ([]Action, error) {
	s, err := c.openSigned(a.Provider, token)
	if err != nil {
		return nil, err
	}
	list, err := actionsOf[a.Provider].list(ctx, s, a)
	return list[:min(len(list), maxActions)], s.publicError(err)
}

// CreateAction creates an action that accepts uploads. If an action of that name exists, CreateAction returns it. The errors are
// the same as for Accounts.
func (c *Client) CreateAction(ctx context.Context, a Advertiser, token, name string) (Action, error) {
	s, err := c.openSigned(a.Provider, token)
	if err != nil {
		return Action{}, err
	}
	entry := actionsOf[a.Provider]
	list, err := entry.list(ctx, s, a)
	if err != nil {
		return Action{}, s.publicError(err)
	}
	if i := slices.IndexFunc(list, func(have Action) bool { return have.Name == name }); i >= 0 {
		return list[i], nil
	}
	action, err := entry.create(ctx, s, a, name)
	if err != nil {
		return action, s.publicError(err)
	}
	action.ReadyAt = c.ReadyBy(a.Provider)
	return action, nil
}
