import { byId, emptyBody, endpoint } from './endpoint.ts'
import * as outreach from './outreach.ts'
import { done } from './primitives.ts'

/** Separate from the other endpoints because few pages load these schemas. */
export const outreachEndpoints = {
  findAnnouncements: endpoint({
    path: '/api/announcements',
    access: 'public',
    summary: 'Announcements that are shown to the caller now',
    response: outreach.announcements,
  }),
  listAnnouncements: endpoint({
    path: '/api/admin/announcements',
    permission: 'outreach.read',
    summary: 'All announcements, newest first',
    query: outreach.listAnnouncementsQuery,
    response: outreach.announcementPage,
  }),
  createAnnouncement: endpoint({
    method: 'POST',
    path: '/api/admin/announcements',
    permission: 'outreach.send',
    recent: true,
    creates: true,
    summary: 'Create an announcement, which is shown on the pages of an audience for a period',
    status: 201,
    body: outreach.createAnnouncementRequest,
    response: outreach.adminAnnouncement,
  }),
  endAnnouncement: endpoint({
    method: 'POST',
    path: '/api/admin/announcements/:id/end',
    permission: 'outreach.send',
    summary: 'End an announcement, whether or not it has been shown',
    params: byId,
    body: emptyBody,
    response: done,
  }),
  previewMessage: endpoint({
    method: 'POST',
    path: '/api/admin/messages/preview',
    permission: 'outreach.send',
    summary: 'Preview a message and count its recipients, without sending it',
    body: outreach.previewMessageRequest,
    response: outreach.messagePreview,
  }),
  listMessages: endpoint({
    path: '/api/admin/messages',
    permission: 'outreach.read',
    summary: 'Messages to segments with their progress, newest first',
    query: outreach.listMessagesQuery,
    response: outreach.messagePage,
  }),
  createMessage: endpoint({
    method: 'POST',
    path: '/api/admin/messages',
    permission: 'outreach.send',
    recent: true,
    creates: true,
    limit: 'costly',
    summary: 'Send a message to a segment, once to each account',
    status: 201,
    body: outreach.createMessageRequest,
    response: outreach.adminMessage,
  }),
  cancelMessage: endpoint({
    method: 'POST',
    path: '/api/admin/messages/:id/cancel',
    permission: 'outreach.send',
    summary: 'Cancel a message; accounts that have not received it yet do not get it',
    params: byId,
    body: emptyBody,
    response: done,
  }),
} as const
