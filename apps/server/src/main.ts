import { startDemo } from './embedded/demo.ts'
import { runServer } from './run-server.ts'

runServer(startDemo)
