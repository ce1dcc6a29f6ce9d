import { z } from 'zod'
import * as channels from './channels.ts'
import { byId, emptyBody, endpoint } from './endpoint.ts'
import { done } from './primitives.ts'

/** Separate from the other endpoints because only the page of channels loads these schemas. */
export const channelEndpoints = {
  listDestinations: endpoint({
    method: 'GET',
    path: '/api/channels',
    access: 'account',
    summary: 'The account’s destinations with their health',
    response: z.array(channels.destination),
  }),
  createDestination: endpoint({
    method: 'POST',
    path: '/api/channels',
    access: 'account',
    recent: true,
    summary: 'Add a destination. The response contains the secret of a webhook, which is shown once',
    body: channels.newDestination,
    response: channels.createdDestination,
  }),
  changeDestination: endpoint({
    method: 'PUT',
    path: '/api/channels/:id',
    access: 'account',
    summary: 'Rename, mute, pause or resume a destination, or choose what it gets besides new alerts',
    params: byId,
    body: channels.destinationChange,
    response: done,
  }),
  deleteDestination: endpoint({
    method: 'DELETE',
    path: '/api/channels/:id',
    access: 'account',
    summary: 'Delete a destination and its ledger',
    params: byId,
    body: emptyBody,
    response: done,
  }),
  confirmDestination: endpoint({
    method: 'POST',
    path: '/api/channels/:id/confirm',
    access: 'account',
    limit: 'costly',
    summary:
      'Send a challenge that the webhook has to echo, or a code to a chat, or check the code. Nothing else is sent before',
    params: byId,
    body: channels.confirmation,
    response: channels.channelTest,
  }),
  testDestination: endpoint({
    method: 'POST',
    path: '/api/channels/:id/test',
    access: 'account',
    limit: 'costly',
    summary: 'Send a test message and return the response of the other side',
    params: byId,
    body: emptyBody,
    response: channels.channelTest,
  }),
  rotateDestinationSecret: endpoint({
    method: 'POST',
    path: '/api/channels/:id/secret',
    access: 'account',
    recent: true,
    summary: 'Create a new secret. For 24 hours messages are also signed with the previous one',
    params: byId,
    body: emptyBody,
    response: channels.newSecret,
  }),
  listChannelDeliveries: endpoint({
    method: 'GET',
    path: '/api/channels/:id/deliveries',
    access: 'account',
    summary: 'The ledger of a destination, newest first: 50 deliveries with their attempts',
    params: byId,
    query: channels.channelDeliveryQuery,
    response: z.array(channels.channelDelivery),
  }),
  redeliver: endpoint({
    method: 'POST',
    path: '/api/channels/:id/redeliver',
    access: 'account',
    limit: 'costly',
    summary: 'Send an alert again, or everything from a log index on that was not delivered',
    params: byId,
    body: channels.redelivery,
    response: done,
  }),
} as const
