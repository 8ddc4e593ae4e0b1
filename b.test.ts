import {test,beforeAll,afterAll} from "bun:test"; import {id} from "./m.ts";
let n=0,max=0;
beforeAll(async()=>{await Bun.sleep(50); console.log("b before")}); afterAll(()=>console.log("b after max",max));
for (let i=0;i<50;i++) test.concurrent("t"+i, async()=>{ n++; max=Math.max(max,n); await Bun.sleep(20); n--; });
test("b",()=>console.log("b",id));
