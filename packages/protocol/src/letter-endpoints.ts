import { endpoint } from './endpoint.ts'
import * as letters from './letters.ts'

/** Separate from the other endpoints because few pages load these schemas. */
export const letterEndpoints = {
  listLetters: endpoint({
    path: '/api/admin/letters',
    permission: 'letters.read',
    summary: 'Support messages, newest first',
    query: letters.listLettersQuery,
    response: letters.letterPage,
  }),
  findLetter: endpoint({
    path: '/api/admin/letters/:id',
    permission: 'letters.read',
    summary: 'A support message with its replies and internal notes',
    params: letters.byLetter,
    response: letters.letterDetail,
  }),
  answerLetter: endpoint({
    method: 'POST',
    path: '/api/admin/letters/:id/answer',
    permission: 'letters.answer',
    creates: true,
    summary: 'Reply to a support message by email, in the same thread',
    params: letters.byLetter,
    body: letters.answerLetterRequest,
    response: letters.letterDetail,
  }),
  noteLetter: endpoint({
    method: 'POST',
    path: '/api/admin/letters/:id/note',
    permission: 'letters.answer',
    creates: true,
    summary: 'Add a note that only staff see',
    params: letters.byLetter,
    body: letters.noteLetterRequest,
    response: letters.letterDetail,
  }),
  changeLetter: endpoint({
    method: 'PUT',
    path: '/api/admin/letters/:id',
    permission: 'letters.answer',
    summary: 'Change the state or the assignee of a support message',
    params: letters.byLetter,
    body: letters.changeLetterRequest,
    response: letters.letterDetail,
  }),
} as const
