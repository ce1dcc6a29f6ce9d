import { endpoint } from './endpoint.ts'
import * as letters from './support-messages.ts'

/** Separate from the other endpoints because few pages load these schemas. */
export const supportMessageEndpoints = {
  listLetters: endpoint({
    path: '/api/admin/letters',
    permission: 'letters.read',
    summary: 'Support messages, newest first',
    query: letters.listSupportMessagesQuery,
    response: letters.supportMessagePage,
  }),
  findLetter: endpoint({
    path: '/api/admin/letters/:id',
    permission: 'letters.read',
    summary: 'A support message with its replies and internal notes',
    params: letters.bySupportMessage,
    response: letters.supportMessageDetail,
  }),
  answerLetter: endpoint({
    method: 'POST',
    path: '/api/admin/letters/:id/answer',
    permission: 'letters.answer',
    creates: true,
    summary: 'Reply to a support message by email, in the same thread',
    params: letters.bySupportMessage,
    body: letters.replyToSupportMessageRequest,
    response: letters.supportMessageDetail,
  }),
  noteLetter: endpoint({
    method: 'POST',
    path: '/api/admin/letters/:id/note',
    permission: 'letters.answer',
    creates: true,
    summary: 'Add a note that only staff see',
    params: letters.bySupportMessage,
    body: letters.noteSupportMessageRequest,
    response: letters.supportMessageDetail,
  }),
  changeLetter: endpoint({
    method: 'PUT',
    path: '/api/admin/letters/:id',
    permission: 'letters.answer',
    summary: 'Change the state or the assignee of a support message',
    params: letters.bySupportMessage,
    body: letters.changeSupportMessageRequest,
    response: letters.supportMessageDetail,
  }),
} as const
