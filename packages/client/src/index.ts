export { type AlertStream, openAlertStream, type StreamOptions, type StreamState } from './alert-stream.ts'
export {
  type Authenticate,
  byApiKey,
  byProgram,
  bySession,
  byWalletSignature,
  type Cursor,
  type ProgramWallet,
} from './authenticate.ts'
export type { Socket, SocketConstructor } from './socket.ts'
