import { runServer } from '@tocsin/server/run-server.ts'
import { startDemo } from './demo.ts'

runServer(startDemo)
