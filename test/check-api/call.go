// Posts a ticket with the client that oapi-codegen has generated. Arguments: the address, the queue.
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	client, err := NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	skill := 1500.0
	player := NewPlayer{PlayerId: "bob", Skill: &skill}
	ticket := NewTicket{TicketId: "from-go", Players: []NewPlayer{player}}
	response, err := client.CreateTicketWithResponse(context.Background(), os.Args[2], ticket)
	if err != nil {
		panic(err)
	}
	if response.JSON201 == nil {
		panic(string(response.Body))
	}
	fmt.Println(response.JSON201.Status)
}
