import {test,beforeAll,afterAll} from "bun:test"; import {id} from "./m.ts";
let n=0,max=0;
beforeAll(async()=>{await Bun.sleep(50); console.log("a before")}); afterAll(()=>console.log("a after max",max));
for (let i=0;i<50;i++) test.concurrent("t"+i, async()=>{ n++; max=Math.max(max,n); await Bun.sleep(20); n--; });
test("a",()=>console.log("a",id));
