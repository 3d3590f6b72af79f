"""Posts a ticket with the client that openapi-python-client has generated. Arguments: the address, the queue."""

import sys

from muster_client import AuthenticatedClient
from muster_client.api.tickets import create_ticket
from muster_client.models import NewPlayer, NewTicket, Ticket

url, queue = sys.argv[1:]
player = NewPlayer(player_id="ann", skill=1500)
client = AuthenticatedClient(base_url=url, token="any")
body = NewTicket(ticket_id="from-python", players=[player])
ticket = create_ticket.sync(queue, client=client, body=body)
assert isinstance(ticket, Ticket), ticket
print(ticket.status)
