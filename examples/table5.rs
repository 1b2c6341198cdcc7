use narrows::ni::memory_bus::Kind;
use narrows::program::memory_bus::*;
const T: [(Kind,[f64;7]);8]=[
(Kind::Ni2w,[2.41,5.25,15.11,17.,54.,63.,69.]),
(Kind::Udma,[4.48,5.83,10.10,7.,42.,78.,109.]),
(Kind::Ap3000,[1.95,2.48,4.47,26.,154.,234.,298.]),
(Kind::StartJr,[1.54,2.38,5.04,29.,119.,191.,221.]),
(Kind::MemoryChannel,[1.55,2.42,4.89,27.,119.,191.,221.]),
(Kind::Cni512q,[1.56,2.22,4.17,28.,134.,209.,259.]),
(Kind::Cni32qm,[1.29,1.78,3.42,36.,120.,189.,209.]),
(Kind::Cni32qmThrottle,[0.,0.,0.,36.,158.,272.,351.])];
fn main(){
  let mut bad=0; let mut sum=0.; let mut worst=0f64;
  let args: Vec<String> = std::env::args().collect();
  for (kind,want) in T {
    let mut p=PairParameters::paper(kind);
    for a in &args[1..] { let (k,v)=a.split_once('=').unwrap(); let v:u64=v.parse().unwrap(); use narrows::engine::Time;
      match k {"send"=>p.messaging.send_cycles=v,"recv"=>p.messaging.receive_cycles=v,"word"=>p.interface.word_cycles=v,"poll"=>p.interface.poll_cycles=v,
      "proc"=>p.interface.processing_time=Time::from_ns(v),"start"=>p.interface.udma_start_time=Time::from_ns(v),"acc"=>p.interface.fifo_receive_accesses=v,"switch"=>p.interface.udma_switch_time=Time::from_ns(v),"req"=>p.node.processor.request_cycles=v,"rep"=>p.node.processor.reply_cycles=v,
      "arb"=>p.node.bus.arbitration_cycles=v,"supply"=>p.node.cache.supply_time=Time::from_ns(v),"turn"=>p.node.bus.turnaround_cycles=v,"snoop"=>p.node.bus.snoop_cycles=v,"rate"=>p.network.rate=narrows::engine::Rate::from_bytes_per_s(v*1000000),_=>panic!("{k}")}}
    print!("{:28}",kind.name());
    for (i,b) in [8,64,256].into_iter().enumerate(){ if want[i]>0.{ let m=round_trip_us(&p,b).unwrap(); let e=(m/want[i]-1.)*100.; if e.abs()>10.{bad+=1} sum+=e*e; worst=worst.max(e.abs()); print!(" {:6.2}({:+5.1}%){}",m,e,if e.abs()>10.{"*"}else{" "}); } else {print!("                 ")}}
    for (i,b) in [8,64,256,4096].into_iter().enumerate(){ let m=bandwidth_mb_per_s(&p,b).unwrap(); let e=(m/want[i+3]-1.)*100.; if e.abs()>10.{bad+=1} sum+=e*e; worst=worst.max(e.abs()); print!(" {:6.1}({:+5.1}%){}",m,e,if e.abs()>10.{"*"}else{" "});}
    println!();
  }
  println!("bad {bad} rms {:.2} worst {:.1}",(sum/53.).sqrt(),worst);
}
