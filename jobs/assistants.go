package jobs

import "time"

// ReadClientArgs name the client of an assistant by the URL of the client's document.
type ReadClientArgs struct {
	ID string `json:"id"`
}

// ReadClientAnswer says that the client is stored.
type ReadClientAnswer struct {
	Name string `json:"name"`
}

// ReadClient reads the document of a client and stores the client. Error: invalid_client.
var ReadClient = Define[ReadClientArgs, ReadClientAnswer]("assistant:client", interactive(20*time.Second))
